import { newUid } from "@reeve/model";
import type { Sql } from "./sql.ts";

export interface Installation {
  readonly uid: string;
  /** Renewed by a restore: watchers start over, agents remove nothing until a person confirms. */
  readonly timeline: string;
  readonly setupDone: boolean;
}

export async function readInstallation(sql: Sql): Promise<Installation | undefined> {
  const rows = await sql.query<{ uid: string; timeline: string; done: boolean }>(
    "select uid, timeline, setup_done_at is not null as done from installation where id = 1",
  );
  const row = rows[0];
  return row && { uid: row.uid, timeline: row.timeline, setupDone: row.done };
}

/** Founds the installation; undefined when somebody else did so first. */
export async function foundInstallation(sql: Sql, setupHash: Buffer): Promise<Installation | undefined> {
  const rows = await sql.query<{ uid: string; timeline: string }>(
    `insert into installation (id, uid, timeline, setup_hash) values (1, $1::uuid, $2::uuid, $3)
     on conflict (id) do nothing returning uid, timeline`,
    [newUid(), newUid(), setupHash],
  );
  return rows[0] && { ...rows[0], setupDone: false };
}

/**
 * Begins a new timeline after a restore. What others remember of revisions may be of writes that the restore undid, so the
 * counter leaps over them all, and everything before counts as compacted: watchers hear 410 and list again, an If-Match fails.
 * What agents were given meanwhile is not known here: see `findBackedUpAgent`.
 */
export async function beginTimeline(sql: Sql, backedUpAt: string): Promise<void> {
  await sql.query(
    "update installation set timeline = $1::uuid, backed_up_at = $2::timestamptz, restored_at = now() where id = 1",
    [newUid(), backedUpAt],
  );
  await sql.query("update revision set value = value + $1, compacted = value + $1 where id = 1", [leap]);
  await sql.query("update agent set restored_generation = identity_generation");
}

/** Far more than an installation writes between its last backup and its end, and room for millions of restores below 2^53. */
const leap = 1_000_000_000;

/** Replaces the setup link while it has not been used; false when it has been. */
export async function renewSetup(sql: Sql, setupHash: Buffer): Promise<boolean> {
  const rows = await sql.query(
    "update installation set setup_hash = $1 where setup_done_at is null returning id",
    [setupHash],
  );
  return rows.length > 0;
}

export async function isSetupToken(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql.query("select 1 from installation where setup_done_at is null and setup_hash = $1", [
    hash,
  ]);
  return rows.length > 0;
}

/** Uses the setup link up; false when somebody else was faster. To be called in the transaction that makes the administrator. */
export async function endSetup(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql.query(
    "update installation set setup_done_at = now(), setup_hash = null where setup_done_at is null and setup_hash = $1 returning id",
    [hash],
  );
  return rows.length > 0;
}
