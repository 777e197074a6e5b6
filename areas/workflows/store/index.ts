/** What workflows keep beside their resources: schedules with their ticks, backfills, and calls of webhooks. */
import { join } from "node:path";
import type { MigrationFolder } from "@reeve/store";

export * from "./backfills.ts";
export * from "./promises.ts";
export { workflowsRetention } from "./retention.ts";
export * from "./schedules.ts";
export * from "./ticks.ts";
export * from "./webhook-calls.ts";

export const workflowsMigrations: MigrationFolder = {
  room: "workflows",
  path: join(import.meta.dirname, "migrations"),
};
