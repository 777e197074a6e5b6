import type { Sql } from "../sql.ts";

/** How the whole installation does: for those who watch over it. */
export interface InstallationFigures {
  /** Steps that an agent could begin now; counted up to 100,000. */
  readonly ready: number;
  /** How long the one of them waits that has waited longest, in seconds. */
  readonly oldestReadySeconds: number;
  /** Steps that agents have. */
  readonly held: number;
  readonly openRuns: number;
  readonly agents: Readonly<Record<string, number>>;
  /** What agents keep, such as services on hosts, by how it was seen last; counted up to 100,000. */
  readonly kept: Readonly<Record<string, number>>;
}

const countedMost = 100_000;
const first = "00000000-0000-0000-0000-000000000000";

/** Counts what is open, which is little; what has ended is never looked at. */
export async function readFigures(sql: Sql): Promise<InstallationFigures> {
  const [[steps], agents, kept] = await Promise.all([
    sql.query<Omit<InstallationFigures, "agents" | "kept">>(
      `select (select count(*) from (select 1 from step where awaits = 'claim' and queue >= $1 limit $2) as s) as ready,
         coalesce((select extract(epoch from now() - min(ready_at)) from (
           select ready_at from step where awaits = 'claim' and queue >= $1 limit $2) as s), 0)::float8 as "oldestReadySeconds",
         (select count(*) from (select 1 from step where awaits = 'agent' and agent >= $1 limit $2) as s) as held,
         (select count(*) from (select 1 from run where ended_at is null and id >= $1 limit $2) as r) as "openRuns"`,
      [first, countedMost],
    ),
    sql.query<{ state: string; count: number }>(
      `select case when revoked_at is null then state else 'revoked' end as state, count(*) as count
       from agent where uid >= $1 group by 1`,
      [first],
    ),
    sql.query<{ state: string; count: number }>(
      `select coalesce(k.seen ->> 'state', 'unknown') as state, count(*) as count
       from (select seen from kept where resource_uid >= $1 limit $2) as k group by 1`,
      [first, countedMost],
    ),
  ]);
  return {
    ...(steps ?? { ready: 0, oldestReadySeconds: 0, held: 0, openRuns: 0 }),
    agents: byState(agents),
    kept: byState(kept),
  };
}

function byState(rows: readonly { state: string; count: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
