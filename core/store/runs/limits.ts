import type { WaitReason } from "@reeve/model";
import type { Sql } from "../sql.ts";
import type { StepKey } from "./rows.ts";

/** Waits of steps that are under way without an agent. */
const underWay: ReadonlySet<string | null> = new Set([
  "timer",
  "approval",
  "run",
  "resource",
] satisfies WaitReason[]);

/**
 * Whether a step that has not ended has its place under its limit: from when it is given one, before it begins, to its end. Between
 * two attempts, while its run is paused, and when its attempt was lost, the place is for others.
 */
export function hasPlace({ limitKey, reason }: { limitKey: string | null; reason: string | null }): boolean {
  return limitKey !== null && (reason === null || underWay.has(reason));
}

/** The same in SQL, as the index step_under has it. */
export const hasPlaceSql = (step: string) =>
  `(${step}.awaits in ('claim', 'agent', 'decision') or ${step}.reason in ('timer', 'approval', 'run', 'resource'))
     and ${step}.reason is distinct from 'lost'`;

/**
 * Limits are derived from states, never kept in counters, so that nothing can leak a slot. Count only in a statement after the
 * one that locked the limit: in the same one, the count is older than the lock (measured: 7 ran where 5 may).
 */
export async function runsUnder(sql: Sql, keys: readonly string[]): Promise<Map<string, Under>> {
  const rows = await sql.query<Under & { key: string }>(
    `select v.key, (select count(*) from run r where r.limit_key = v.key and r.ended_at is null and r.state = 'running') as running,
       (select count(*) from run r where r.limit_key = v.key and r.ended_at is null and r.state = 'queued') as queued
     from unnest($1::text[]) as v (key)`,
    [[...new Set(keys)]],
  );
  return new Map(rows.map(({ key, running, queued }) => [key, { running, queued }]));
}

/** How many runs are under way under a limit, and how many wait for it. */
export interface Under {
  readonly running: number;
  readonly queued: number;
}

/** Runs that wait for this limit: those that other runs wait for, then first come first, higher priority before. */
export async function queuedRuns(sql: Sql, key: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from run where limit_key = $1 and ended_at is null and state = 'queued'
     order by parent_run is null, priority desc, id limit $2`,
    [key, limit],
  );
  return rows.map((row) => row.id);
}

/** Runs under a limit that were made before this one, have not ended, and have not been told to: it pushes them out. */
export async function olderRuns(sql: Sql, key: string, than: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    "select id from run where limit_key = $1 and ended_at is null and cancelled_at is null and id < $2::uuid order by id",
    [key, than],
  );
  return rows.map((row) => row.id);
}

export async function stepsUnder(sql: Sql, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ key: string; count: number }>(
    `select v.key, (select count(*) from step s where s.limit_key = v.key and ${hasPlaceSql("s")}) as count
     from unnest($1::text[]) as v (key)`,
    [[...new Set(keys)]],
  );
  return new Map(rows.map((row) => [row.key, row.count]));
}

/** Steps that wait for this limit: higher priority first, then first come. */
export function stepsWaitingFor(
  sql: Sql,
  key: string,
  limit: number,
): Promise<(StepKey & { def: number; parent: number | null })[]> {
  return sql.query(
    `select run, seq, def, parent from step where limit_key = $1 and ended_at is null and reason = 'limit' order by priority desc, ready_at, run, seq limit $2`,
    [key, limit],
  );
}

/** Keys that steps wait for though nothing holds them any more: what a crash between two transactions leaves. */
export async function idleLimits(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    `select distinct s.limit_key as key from step s where s.limit_key is not null and s.ended_at is null and s.reason = 'limit' limit $1`,
    [limit],
  );
  return rows.map((row) => row.key);
}

/** Limits for which runs are queued. */
export async function queuedLimits(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    `select distinct limit_key as key from run where limit_key is not null and ended_at is null and state = 'queued' limit $1`,
    [limit],
  );
  return rows.map((row) => row.key);
}
