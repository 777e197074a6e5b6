/** What services keep beside their resources: the files on their way to agents, and folders of repositories. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./bundles.ts";
export * from "./repositories.ts";
export { servicesRetention } from "./retention.ts";

export const servicesMigrations: MigrationFolder = {
  room: "services",
  path: join(import.meta.dirname, "migrations"),
};
