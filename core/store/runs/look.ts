import type { WaitReason } from "@reeve/model";
import type { Sql } from "../sql.ts";
import type { StepKey } from "./rows.ts";

/** Steps to be decided: those of a run together, so that its lock is taken once. */
export function dueSteps(sql: Sql, limit: number): Promise<StepKey[]> {
  return sql.query<StepKey>(
    "select run, seq from step where awaits = 'decision' and run >= $1 order by run, seq limit $2",
    ["00000000-0000-0000-0000-000000000000", limit],
  );
}

export function wokenSteps(
  sql: Sql,
  limit: number,
): Promise<(StepKey & { readonly reason: WaitReason | null })[]> {
  return sql.query("select run, seq, reason from step where wake_at <= now() order by wake_at limit $1", [
    limit,
  ]);
}

/** Each with the run that waits for it: both are locked together, in order. */
export function wokenRuns(
  sql: Sql,
  limit: number,
): Promise<{ readonly id: string; readonly parentRun: string | null }[]> {
  return sql.query(
    `select id, parent_run as "parentRun" from run where wake_at <= now() order by wake_at limit $1`,
    [limit],
  );
}

/** When something must be looked at next, in ms from now; undefined when nothing is planned. */
export async function nextWakeMs(sql: Sql): Promise<number | undefined> {
  const rows = await sql.query<{ ms: number | null }>(
    `select extract(epoch from least(
       (select wake_at from step where wake_at is not null order by wake_at limit 1),
       (select wake_at from run where wake_at is not null order by wake_at limit 1)) - now())::float8 * 1000 as ms`,
  );
  return rows[0]?.ms ?? undefined;
}
