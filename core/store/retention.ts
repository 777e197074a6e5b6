import { type KeepLogs, logRetention } from "./logs/retention.ts";
import { runRetention } from "./runs/retention.ts";
import type { Sql } from "./sql.ts";
import { usageRetention } from "./usage/retention.ts";

/** How long what grows is kept, in days (fractions allowed). Each table that grows has its line here, in its area, or in control/audit. */
export interface Retention {
  /** Changes that watchers may resume from. Kept answers need them, so never shorter than a day. */
  readonly changesDays: number;
  readonly eventsDays: number;
  readonly auditDays: number;
  /** Generations kept of each living resource; older ones go. */
  readonly generations: number;
  /** The history of a deleted resource. */
  readonly deletedDays: number;
  /** Runs that have ended, with their steps and events. A definition may say otherwise for its own. */
  readonly runsDays: number;
  /** What terminals have shown, where it is recorded. */
  readonly recordingsDays: number;
  /** Of all terminals of one organization together, not compressed; the oldest go first. */
  readonly recordingsBytes: number;
  /** Output of runs. */
  readonly logs: KeepLogs;
}

export const defaultRetention: Retention = {
  changesDays: 2,
  eventsDays: 14,
  auditDays: 400,
  generations: 1000,
  deletedDays: 90,
  runsDays: 90,
  recordingsDays: 90,
  recordingsBytes: 10 * 1024 ** 3,
  logs: { days: 30, bytesOfDefinition: 10 * 1024 ** 3 },
};

/** One rule: deletes at most `limit` rows, so that no statement takes long; the caller repeats until it returns less. */
export interface RetentionRule {
  readonly name: string;
  readonly prune: (sql: Sql, limit: number) => Promise<number>;
}

export function retentionRules(keep: Retention): RetentionRule[] {
  return [
    { name: "changes", prune: (sql, limit) => pruneChanges(sql, Math.max(1.1, keep.changesDays), limit) },
    { name: "kept answers", prune: older("idempotency", "caller, key", 1) },
    { name: "tickets of terminals", prune: older("terminal_ticket", "hash", 1) },
    { name: "recordings of terminals", prune: older("terminal_recording", "id", keep.recordingsDays) },
    {
      name: "recordings of organizations with many",
      prune: (sql, limit) => pruneRecordings(sql, keep.recordingsBytes, limit),
    },
    { name: "lane marks", prune: older("lane_mark", "id", 1) },
    { name: "events", prune: older("event", "uid, digest", keep.eventsDays) },
    { name: "generations", prune: (sql, limit) => pruneGenerations(sql, keep.generations, limit) },
    { name: "history of deleted resources", prune: deletedHistory(keep.deletedDays) },
    { name: "replicas that are gone", prune: goneReplicas },
    { name: "what was kept of deleted resources", prune: orphans("kept", "resource_uid") },
    ...runRetention(keep.runsDays),
    ...logRetention(keep.logs),
    ...usageRetention,
  ];
}

/** A rule for a table with a time column `at`. Table and key are ours, never a caller's. */
export function older(table: string, key: string, days: number, at = "at"): RetentionRule["prune"] {
  return async (sql, limit) => {
    const rows = await sql.query(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where ${at} < now() - $1 * interval '1 day' order by ${at} limit $2) returning 1 as gone`,
      [days, limit],
    );
    return rows.length;
  };
}

/** A rule for a table whose rows belong to a resource: they go when it is gone. */
export function orphans(table: string, column: string): RetentionRule["prune"] {
  return async (sql, limit) => {
    const rows = await sql.query(
      `delete from ${table} where ${column} in (
         select t.${column} from ${table} t where not exists (select 1 from resource r where r.uid = t.${column}) limit $1) returning 1 as gone`,
      [limit],
    );
    return rows.length;
  };
}

/**
 * Changes go from the oldest on, and what was compacted is remembered in the same statement: a watcher is told, not misled.
 * Revisions are in the order of time, so no index on the time is needed: that would cost every write.
 */
async function pruneChanges(sql: Sql, days: number, limit: number): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `with gone as (
       delete from change where revision in (
         select revision from (select revision, at from change order by revision limit $2) as first
         where at < now() - $1 * interval '1 day') returning revision),
     told as (
       update revision set compacted = greatest(compacted, (select max(revision) from gone))
       where id = 1 and exists (select 1 from gone) returning 1)
     select count(*) as count from gone`,
    [days, limit],
  );
  return rows[0]?.count ?? 0;
}

async function pruneGenerations(sql: Sql, keep: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from generation where (uid, generation) in (
       select g.uid, g.generation from generation g join resource r on r.uid = g.uid
       where r.generation > $1 and g.generation <= r.generation - $1 limit $2) returning 1 as gone`,
    [keep, limit],
  );
  return rows.length;
}

/** So many resources are asked about in one turn: to ask about all would read all history every minute. */
const deletedAtOnce = 500;
const beforeAll = "00000000-0000-0000-0000-000000000000";

/** Goes round through all resources that have a history, from turn to turn. */
function deletedHistory(days: number): RetentionRule["prune"] {
  let from = beforeAll;
  return async (sql, limit) => {
    const [turn] = await sql.query<{ last: string | null; seen: number; gone: number }>(
      `with recursive page as (
         (select uid, 1 as place from generation where uid > $1::uuid order by uid limit 1)
         union all
         select (select g.uid from generation g where g.uid > p.uid order by g.uid limit 1), p.place + 1
         from page p where p.uid is not null and p.place < $4),
       gone as (
         delete from generation where (uid, generation) in (
           select g.uid, g.generation from page p join generation g on g.uid = p.uid
           where g.at < now() - $2 * interval '1 day' and not exists (select 1 from resource r where r.uid = g.uid)
           limit $3) returning 1 as gone)
       select (select uid from page where uid is not null order by place desc limit 1) as last,
         (select count(*) from page where uid is not null) as seen, (select count(*) from gone) as gone`,
      [from, days, limit, deletedAtOnce],
    );
    if (turn === undefined || turn.gone >= limit) return turn?.gone ?? 0;
    from = turn.seen < deletedAtOnce ? beforeAll : (turn.last ?? beforeAll);
    return turn.gone;
  };
}

/** Only organizations with a new terminal are looked at: the others were, when they had one. What goes on is not taken away. */
async function pruneRecordings(sql: Sql, most: number, limit: number): Promise<number> {
  const organization = "split_part(scope, '/', 1)";
  const rows = await sql.query(
    `delete from terminal_recording where id in (
       select v.id from (
         select id, at, ended_at, sum(bytes) over (partition by ${organization} order by at desc, id desc) as bytes
         from terminal_recording where ${organization} in (
           select ${organization} from terminal_recording where at > now() - interval '10 minutes')) as v
       where v.bytes > $1 and v.ended_at is not null order by v.at limit $2) returning 1 as gone`,
    [most, limit],
  );
  return rows.length;
}

async function goneReplicas(sql: Sql): Promise<number> {
  await sql.query("delete from replica where seen_at < now() - interval '1 day'");
  return 0;
}
