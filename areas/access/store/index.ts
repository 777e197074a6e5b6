/** What access keeps beside its resources: passwords and second factors, sessions, digests of tokens, who is in which group. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./attempts.ts";
export * from "./claims.ts";
export * from "./credentials.ts";
export * from "./factors.ts";
export * from "./federated-identities.ts";
export * from "./groups.ts";
export * from "./held-roles.ts";
export * from "./identity-providers.ts";
export * from "./owners.ts";
export * from "./passkeys.ts";
export * from "./passwords.ts";
export * from "./recovery-codes.ts";
export { accessRetention } from "./retention.ts";
export * from "./sessions.ts";
export * from "./tickets.ts";
export * from "./totp.ts";
export * from "./workload-tokens.ts";

export const accessMigrations: MigrationFolder = {
  room: "access",
  path: join(import.meta.dirname, "migrations"),
};
