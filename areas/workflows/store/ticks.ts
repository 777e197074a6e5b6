import type { Sql } from "@reeve/store";

/** A tick of a schedule, and the run that stands for it. */
export interface Tick {
  readonly workflow: string;
  readonly schedule: string;
  readonly tick: string;
  readonly run: string;
  readonly backfill?: string;
}

/**
 * Claims ticks for their runs and gives back the runs to be made: those of ticks that had none. With `again` every tick is given to its
 * new run.
 */
export async function claimTicks(sql: Sql, ticks: readonly Tick[], again = false): Promise<Set<string>> {
  const column = (of: (tick: Tick) => string | null) => ticks.map(of);
  const rows = await sql.query<{ run: string }>(
    `insert into schedule_tick (workflow, schedule, tick, run, backfill)
     select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::uuid[])
     on conflict (workflow, schedule, tick)
     ${again ? "do update set run = excluded.run, backfill = excluded.backfill, at = now()" : "do nothing"} returning run`,
    [
      column((tick) => tick.workflow),
      column((tick) => tick.schedule),
      column((tick) => tick.tick),
      column((tick) => tick.run),
      column((tick) => tick.backfill ?? null),
    ],
  );
  return new Set(rows.map(({ run }) => run));
}

/** Ticks of these that have a run already, with it. */
export async function knownTicks(
  sql: Sql,
  workflow: string,
  schedule: string,
  from: string,
  until: string,
): Promise<Map<number, string>> {
  const rows = await sql.query<{ tick: string; run: string }>(
    "select tick, run from schedule_tick where workflow = $1 and schedule = $2 and tick >= $3 and tick < $4",
    [workflow, schedule, from, until],
  );
  return new Map(rows.map(({ tick, run }) => [Date.parse(tick), run]));
}
