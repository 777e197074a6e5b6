/** What access keeps beside its resources: passwords, sessions, digests of tokens, who is in which group. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./claims.ts";
export * from "./credentials.ts";
export * from "./groups.ts";
export * from "./held-roles.ts";
export * from "./passwords.ts";
export { accessRetention } from "./retention.ts";
export * from "./sessions.ts";
export * from "./workload-tokens.ts";

export const accessMigrations: MigrationFolder = {
  room: "access",
  path: join(import.meta.dirname, "migrations"),
};
