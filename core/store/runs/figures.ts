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
}

const countedMost = 100_000;
const first = "00000000-0000-0000-0000-000000000000";

/** Counts what is open, which is little; what has ended is never looked at. */
export async function readFigures(sql: Sql): Promise<InstallationFigures> {
  const [[steps], agents] = await Promise.all([
    sql.query<Omit<InstallationFigures, "agents">>(
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
  ]);
  return {
    ...(steps ?? { ready: 0, oldestReadySeconds: 0, held: 0, openRuns: 0 }),
    agents: Object.fromEntries(agents.map(({ state, count }) => [state, count])),
  };
}
