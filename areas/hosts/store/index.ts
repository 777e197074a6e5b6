/** What hosts keep beside their resources: digests of join tokens. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./join-secrets.ts";
export * from "./organizations.ts";
export { hostsRetention } from "./retention.ts";

export const hostsMigrations: MigrationFolder = {
  room: "hosts",
  path: join(import.meta.dirname, "migrations"),
};
