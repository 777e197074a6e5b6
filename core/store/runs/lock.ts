import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";
import {
  openInputs,
  openSteps,
  type RunRow,
  runColumns,
  type StepKey,
  type StepRow,
  stepColumns,
} from "./rows.ts";

/**
 * Lock order, always: agent, runs by id, limits of steps by key, limits of runs by key, steps by run and seq. (Measured: unordered
 * batches deadlock and run at 1,000 steps/s, ordered ones at 57,000.) Only claims differ: they skip what is locked, so they never wait.
 */
export async function lockRuns(sql: Sql, ids: readonly string[]): Promise<RunRow[]> {
  const rows = await sql.query<RunRow>(
    `select ${runColumns} from unnest($1::uuid[]) as v (id) join run r on r.id = v.id order by r.id for update of r`,
    [ids],
  );
  return openInputs(sql, rows);
}

const keys = rowSet<StepKey>({ run: "uuid", seq: "bigint" });

export async function lockSteps(sql: Sql, wanted: readonly StepKey[]): Promise<StepRow[]> {
  const rows = await sql.query<StepRow>(
    `select ${stepColumns} from ${keys.from} join step s on s.run = v.run and s.seq = v.seq
     order by s.run, s.seq for update of s`,
    keys.values(wanted),
  );
  return openSteps(sql, rows);
}

/** Without a lock: for what only changes under the lock of its run. What is ready or an agent's also changes without it. */
export async function peekSteps(sql: Sql, wanted: readonly StepKey[]): Promise<StepRow[]> {
  const rows = await sql.query<StepRow>(
    `select ${stepColumns} from ${keys.from} join step s on s.run = v.run and s.seq = v.seq order by s.run, s.seq`,
    keys.values(wanted),
  );
  return openSteps(sql, rows);
}

/** All steps of a run, under the run's lock. */
export async function lockAllSteps(sql: Sql, run: string): Promise<StepRow[]> {
  const rows = await sql.query<StepRow>(
    `select ${stepColumns} from step s where s.run = $1 order by s.run, s.seq for update`,
    [run],
  );
  return openSteps(sql, rows);
}

/** Makes the rows of limits that nobody has used yet, and takes all of them, in the order of their keys. */
export async function lockLimits(sql: Sql, limitKeys: readonly string[]): Promise<void> {
  const sorted = [...new Set(limitKeys)].sort();
  await sql.query(
    `insert into run_limit (key) select key from unnest($1::text[]) as v (key) order by key
     on conflict (key) do update set at = now()`,
    [sorted],
  );
}
