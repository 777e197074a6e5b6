/** What secrets keep beside their resources: sealed values, and who refers to them. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export { secretsRetention } from "./retention.ts";
export * from "./uses.ts";
export * from "./versions.ts";

export const secretsMigrations: MigrationFolder = {
  room: "secrets",
  path: join(import.meta.dirname, "migrations"),
};
