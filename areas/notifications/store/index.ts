/** What notifications keep: which notices are open, and who uses and hears of what. */
import { join } from "node:path";
import { type MigrationFolder, orphans, type RetentionRule } from "@reeve/store";

export * from "./listeners.ts";
export { nearestChannels } from "./nearest.ts";
export * from "./notices.ts";
export { usersOfChannel } from "./users.ts";

export const notificationsMigrations: MigrationFolder = {
  room: "notifications",
  path: join(import.meta.dirname, "migrations"),
};

export const noticeRetention: RetentionRule = {
  name: "notices of deleted resources",
  prune: orphans("notice", "resource_uid"),
};
