import { uidAt } from "@reeve/model";
import type { RetentionRule } from "../retention.ts";
import type { Sql } from "../sql.ts";

const dayMs = 86_400_000;

/**
 * Runs go with all that is theirs when they ended long enough ago, or when enough newer ones of their definition are there; an
 * open run never goes. Graphs and queues are shared: their `at` says to the day when they were last in use, by a new run (the
 * engine says so) or by an open one (said here), and they go when no run that used them can be left.
 */
export function runRetention(runsDays: number): RetentionRule[] {
  return [
    {
      name: "runs",
      prune: async (sql, limit) => removeRuns(sql, await pastTime(sql, runsDays, limit), limit),
    },
    { name: "runs by their definition's own rule", prune: pruneByKeep },
    { name: "graphs", prune: (sql, limit) => pruneShared(sql, graphs, runsDays, limit) },
    { name: "queues", prune: (sql, limit) => pruneShared(sql, queues, runsDays, limit) },
    { name: "limits", prune: pruneLimits },
    { name: "rules of definitions that are gone", prune: pruneKeeps },
    { name: "agents that are gone", prune: pruneAgents },
  ];
}

/** How many runs of a definition stay and for how long; without either, the installation's time holds. */
export interface RunKeep {
  readonly runs?: number | undefined;
  readonly days?: number | undefined;
}

export async function writeRunKeep(sql: Sql, uid: string, keep: RunKeep | undefined): Promise<void> {
  if (keep === undefined) await sql.query("delete from run_keep where uid = $1", [uid]);
  else
    await sql.query(
      `insert into run_keep (uid, runs, days) values ($1, $2, $3)
       on conflict (uid) do update set runs = excluded.runs, days = excluded.days`,
      [uid, keep.runs ?? null, keep.days ?? null],
    );
}

async function pastTime(sql: Sql, days: number, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from run where id < $3 and ended_at < now() - $1 * interval '1 day'
       and not exists (select 1 from run_keep k where k.uid = run.uid and k.days is not null)
     order by id limit $2`,
    [days, limit, uidAt(Date.now() - (days - 0.1) * dayMs)],
  );
  return rows.map(({ id }) => id);
}

async function pruneByKeep(sql: Sql, limit: number): Promise<number> {
  let gone = 0;
  const keeps = await sql.query<{ uid: string; runs: number | null; days: number | null }>(
    "select uid, runs, days from run_keep",
  );
  for (const { uid, runs, days } of keeps) {
    const tooMany = runs === null ? [] : await beyond(sql, uid, runs, limit);
    const tooOld = days === null ? [] : await olderThan(sql, uid, days, limit);
    gone += await removeRuns(sql, [...new Set([...tooMany, ...tooOld])], limit);
    if (gone >= limit) break;
  }
  return gone;
}

async function beyond(sql: Sql, uid: string, runs: number, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string; ended: boolean }>(
    "select id, ended_at is not null as ended from run where uid = $1 order by id desc offset $2 limit $3",
    [uid, runs, limit],
  );
  return rows.filter(({ ended }) => ended).map(({ id }) => id);
}

/** Ids are in the order of time, so those that began after it (by any clock of ours) are not looked at. */
async function olderThan(sql: Sql, uid: string, days: number, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from run where uid = $1 and id < $2 and ended_at < now() - $3 * interval '1 day' order by id limit $4`,
    [uid, uidAt(Date.now() - (days - 0.1) * dayMs), days, limit],
  );
  return rows.map(({ id }) => id);
}

/** What belongs to a run and goes before it, so that what is left of a large one is found again. */
const parts = [
  { table: "step", key: "run, seq" },
  { table: "step_attempt", key: "run, seq, epoch" },
  { table: "run_event", key: "run, id" },
  { table: "log_chunk", key: "run, number" },
  { table: "log_attempt", key: "run, seq, epoch" },
  { table: "log_run", key: "run" },
] as const;

async function removeRuns(sql: Sql, ids: readonly string[], limit: number): Promise<number> {
  if (ids.length === 0) return 0;
  for (const { table, key } of parts) {
    const gone = await sql.query(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where run = any($1::uuid[]) limit $2) returning 1 as gone`,
      [ids, limit],
    );
    // Others may be left: they are for the next batch.
    if (gone.length >= limit) return limit;
  }
  const gone = await sql.query(
    "delete from run where id = any($1::uuid[]) and ended_at is not null returning 1 as gone",
    [ids],
  );
  return gone.length;
}

interface Shared {
  readonly table: string;
  readonly key: string;
  /** Its keys that runs use which are open and began before the run $1. */
  readonly inUse: string;
}

const graphs: Shared = {
  table: "run_graph",
  key: "digest",
  inUse: "select graph from run where ended_at is null and id < $1",
};
const queues: Shared = {
  table: "run_queue",
  key: "id",
  inUse: "select s.queue from run r join step s on s.run = r.id where r.ended_at is null and r.id < $1",
};

/** A day's error each for what new runs say, for what open ones say, and for clocks. */
const slackDays = 3;

async function pruneShared(
  sql: Sql,
  { table, key, inUse }: Shared,
  runsDays: number,
  limit: number,
): Promise<number> {
  const [resting] = await sql.query(
    `select 1 as found from ${table} where at < now() - interval '1 day' limit 1`,
  );
  if (resting === undefined) return 0;
  await sql.query(
    `update ${table} set at = now() where at < now() - interval '1 day' and ${key} in (${inUse})`,
    [uidAt(Date.now() - dayMs)],
  );
  const [longest] = await sql.query<{ days: number | null }>("select max(days) as days from run_keep");
  const days = Math.max(runsDays, longest?.days ?? 0) + slackDays;
  const gone = await sql.query(
    `delete from ${table} where ${key} in (
       select ${key} from ${table} where at < now() - $1 * interval '1 day' limit $2) returning 1 as gone`,
    [days, limit],
  );
  return gone.length;
}

async function pruneLimits(sql: Sql, limit: number): Promise<number> {
  const gone = await sql.query(
    `delete from run_limit where at < now() - interval '1 day' and key in (
       select key from run_limit l where at < now() - interval '1 day'
         and not exists (select 1 from run where limit_key = l.key and ended_at is null)
         and not exists (select 1 from step where limit_key = l.key and ended_at is null) limit $1) returning 1 as gone`,
    [limit],
  );
  return gone.length;
}

async function pruneKeeps(sql: Sql, limit: number): Promise<number> {
  const gone = await sql.query(
    `delete from run_keep where uid in (
       select uid from run_keep k where not exists (select 1 from resource r where r.uid = k.uid) limit $1) returning 1 as gone`,
    [limit],
  );
  return gone.length;
}

/** An agent is its Host's: without it, and silent for a day, it has nothing left to say. */
async function pruneAgents(sql: Sql, limit: number): Promise<number> {
  const gone = await sql.query(
    `delete from agent where uid in (
       select uid from agent a where beat_at < now() - interval '1 day' and state not in ('connected', 'suspect')
         and not exists (select 1 from resource r where r.uid = a.uid) limit $1) returning 1 as gone`,
    [limit],
  );
  return gone.length;
}
