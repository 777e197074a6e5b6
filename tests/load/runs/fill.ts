import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import type { Installation } from "./installation.ts";

/** A store that has grown for months, in hours: what is older than some weeks would be removed as nobody's any more. */
const apart = "interval '1 hour'";

/**
 * So many finished runs at least, with all their steps: each one is copied under new ids of earlier times. Nobody runs ANALYZE
 * afterwards: the engine must not depend on it.
 */
export async function fillRuns({ query }: Installation, wanted: number): Promise<void> {
  const had = await finishedRuns(query);
  const copies = Math.max(0, Math.ceil(wanted / had) - 1);
  // A table that stays: what the copies are made by may be asked for on another connection.
  await query(
    `create table bench_copy as
     select r.id as was, uuidv7(-${apart} * n) as id
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
  say(`the store holds ${whole(await finishedRuns(query))} finished runs now`);
}

export async function finishedRuns(query: Installation["query"]): Promise<number> {
  const [row] = await query<{ runs: number }>(
    "select count(*)::int as runs from run where ended_at is not null",
  );
  return row?.runs ?? 0;
}
