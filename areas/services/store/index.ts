/** What services keep beside their resources: the files on their way to agents. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./bundles.ts";
export { servicesRetention } from "./retention.ts";

export const servicesMigrations: MigrationFolder = {
  room: "services",
  path: join(import.meta.dirname, "migrations"),
};
