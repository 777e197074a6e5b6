/**
 * The store: SQL for the core's nouns, one file each, and the one way to write (the lane). It knows no area and decides
 * nothing; callers hand it their decisions.
 */
export * from "./agents.ts";
export * from "./at-rest/index.ts";
export * from "./audit.ts";
export * from "./audit-chain.ts";
export * from "./audit-retention.ts";
export * from "./authority.ts";
export * from "./backed-up-agents.ts";
export * from "./buckets.ts";
export * from "./changes.ts";
export * from "./clock.ts";
export type { Connection } from "./connection.ts";
export * from "./database.ts";
export * from "./embedded.ts";
export { claimEmbedded } from "./embedded-claim.ts";
export * from "./events.ts";
export * from "./generations.ts";
export * from "./installation.ts";
export * from "./kept.ts";
export * from "./key-rotation.ts";
export * from "./keys.ts";
export * from "./lane.ts";
export { openLedger } from "./lane-quotas.ts";
export { ownersAmong } from "./lane-sql.ts";
export * from "./looks.ts";
export * from "./migrate.ts";
export * from "./mutation.ts";
export * from "./notifications.ts";
export * from "./quotas.ts";
export * from "./recordings.ts";
export * from "./replicas.ts";
export type { Stored } from "./resource-row.ts";
export { newResource, shown } from "./resource-row.ts";
export * from "./resources.ts";
export * from "./retention.ts";
export { type RunKeep, writeRunKeep } from "./runs/retention.ts";
export { coreSealed, listSealed, replaceSealed, type Sealed, type SealedColumn } from "./sealed.ts";
export type { Sql } from "./sql.ts";
export * from "./tickets.ts";
export { awayFault, troubleOf } from "./trouble.ts";
