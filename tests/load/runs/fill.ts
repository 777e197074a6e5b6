import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { type Figure, figure } from "./figures.ts";
import type { Site } from "./site.ts";

const copies = 9;

/**
 * Ten times as many finished runs, with all their steps: each one is copied nine times, under a new id of an earlier time. Nobody
 * runs ANALYZE afterwards: the engine must not depend on it.
 */
export async function multiplyRuns(site: Site): Promise<Figure[]> {
  const { query } = await site.installation();
  await query("drop table if exists bench_copy");
  // A table that stays: what the copies are made by may be asked for on another connection.
  await query(
    `create table bench_copy as
     select r.id as was, uuidv7(-interval '1 day' * n) as id
     from run r cross join generate_series(1, ${copies}) as n where r.ended_at is not null`,
  );
  for (const { table, key } of [
    { table: "run", key: "id" },
    { table: "step", key: "run" },
    { table: "run_event", key: "run" },
  ]) {
    const rest = (
      await query<{ name: string }>(
        "select column_name as name from information_schema.columns where table_name = $1 and column_name <> $2 and is_generated = 'NEVER'",
        [table, key],
      )
    ).map(({ name }) => `"${name}"`);
    await query(
      `insert into ${table} (${[key, ...rest].join(", ")})
       select ${["c.id", ...rest.map((name) => `t.${name}`)].join(", ")}
       from bench_copy c join ${table} t on t.${key} = c.was`,
    );
  }
  await query("drop table bench_copy");
  // As a store is that has grown for months; else autovacuum would begin in the middle of a window.
  await query("vacuum run, step, run_event");
  await query("checkpoint");
  const [{ runs, steps } = { runs: 0, steps: 0 }] = await query<{ runs: number; steps: number }>(
    "select (select count(*)::int from run) as runs, (select count(*)::int from step) as steps",
  );
  say(`the store holds ${whole(runs)} finished runs with ${whole(steps)} steps now`);
  return [figure("finished runs in the store", runs, whole), figure("  with steps", steps, whole)];
}
