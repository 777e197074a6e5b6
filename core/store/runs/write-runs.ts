import type { JsonObject } from "@reeve/model";
import { keptRow } from "../at-rest/at-rest.ts";
import { outputs } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";
import type { RunRow } from "./rows.ts";

/** Steps of a run that have ended, and of those the ones whose failure is the run's. */
export interface Progress {
  readonly id: string;
  readonly ended: number;
  readonly failed: number;
  /** What failed first, in words. */
  readonly why: string;
}

const progress = rowSet<Progress>({ id: "uuid", ended: "bigint", failed: "bigint", why: "text" });

/** A run whose last step has ended ends with it, unless something is to be settled first: then it is woken at once. */
export function progressRuns(
  sql: Sql,
  rows: readonly Progress[],
): Promise<{ id: string; settles: boolean }[]> {
  return sql.query(
    `update run r set open = r.open - v.ended, failed = r.failed + v.failed, changed_at = now(),
       why = case when r.why = '' then v.why else r.why end,
       state = case when r.open > v.ended or r.settles then r.state when r.timed_out then 'failed' when r.cancelled_at is not null then 'cancelled'
         when r.failed + v.failed > 0 then 'failed' else 'succeeded' end,
       ended_at = case when r.open > v.ended or r.settles then r.ended_at else now() end,
       wake_at = case when r.open > v.ended then r.wake_at when r.settles then now() end
     from ${progress.from} where r.id = v.id returning r.id, r.settles and r.open = 0 as settles`,
    progress.values(rows),
  );
}

/** What a run becomes beyond its steps' progress. */
export interface RunChange {
  readonly id: string;
  readonly scope: string;
  readonly state: string;
  readonly why: string;
  readonly paused: boolean;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
  readonly open: number;
  readonly failed: number;
  readonly outputs: JsonObject | null;
  readonly wakeMs: number | null;
}

const changes = rowSet<Omit<RunChange, "scope">>({
  id: "uuid",
  state: "text",
  why: "text",
  paused: "boolean",
  cancelled: "boolean",
  timedOut: "boolean",
  open: "bigint",
  failed: "bigint",
  outputs: "jsonb",
  wakeMs: "bigint",
});

/** One that is taken up again begins anew: its time to end in counts from then. */
export async function changeRuns(sql: Sql, rows: readonly RunChange[]): Promise<void> {
  await sql.query(
    `update run r set state = v.state, why = v.why, open = v.open, failed = v.failed, outputs = v.outputs,
       timed_out = v.timed_out, changed_at = now(),
       paused_at = case when v.paused then coalesce(r.paused_at, now()) end,
       cancelled_at = case when v.cancelled then coalesce(r.cancelled_at, now()) end,
       started_at = case when v.state = 'queued' then null
         when v.state = 'running' and r.ended_at is not null then now() else coalesce(r.started_at, now()) end,
       ended_at = case when v.state in ('succeeded', 'failed', 'cancelled', 'skipped') then now() end,
       wake_at = now() + v.wake_ms * interval '1 millisecond'
     from ${changes.from} where r.id = v.id`,
    changes.values(rows.map((row) => keptRow(sql, outputs, row, "outputs", [row.id]))),
  );
}

export interface PastAttempt {
  readonly run: string;
  readonly seq: number;
  readonly state: "succeeded" | "failed" | "cancelled" | "lost" | "returned";
  readonly why: string;
  readonly exitCode: number | null;
}

const past = rowSet<PastAttempt>({
  run: "uuid",
  seq: "bigint",
  state: "text",
  why: "text",
  exitCode: "bigint",
});

/**
 * Keeps what the step itself says of its latest attempt, before another takes its place. Before the step is changed. One that
 * ended before its accept was heard began with its offer.
 */
export async function keepAttempts(sql: Sql, rows: readonly PastAttempt[]): Promise<void> {
  await sql.query(
    `insert into step_attempt (run, seq, epoch, attempt, agent, state, why, exit_code, offered_at, started_at, ended_at)
     select s.run, s.seq, s.epoch, s.attempt, s.agent, v.state, v.why, v.exit_code, s.offered_at,
       coalesce(s.started_at, case when v.state <> 'returned' then s.offered_at end), coalesce(s.ended_at, now())
     from ${past.from} join step s on s.run = v.run and s.seq = v.seq where s.epoch > 0
     on conflict (run, seq, epoch) do nothing`,
    past.values(rows),
  );
}

export interface NewRunEvent {
  readonly run: string;
  readonly id: string;
  readonly seq: number | null;
  readonly tone: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
  readonly by: string;
}

const events = rowSet<NewRunEvent>({
  run: "uuid",
  id: "uuid",
  seq: "bigint",
  tone: "text",
  reason: "text",
  message: "text",
  by: "text",
});

export async function insertRunEvents(sql: Sql, rows: readonly NewRunEvent[]): Promise<void> {
  await sql.query(
    `insert into run_event (${events.names}) select ${events.names} from ${events.from}`,
    events.values(rows),
  );
}

export function runChangeOf(run: RunRow, change: Partial<RunChange>): RunChange {
  const { id, scope, state, why, timedOut, open, failed } = run;
  return {
    ...{ id, scope, state, why, timedOut, open, failed },
    ...{ paused: run.pausedAt !== null, cancelled: run.cancelledAt !== null, outputs: null, wakeMs: null },
    ...change,
  };
}

/** Lets a queued run begin: its first steps are due. */
export async function openFirstSteps(sql: Sql, runs: readonly string[]): Promise<void> {
  await sql.query(
    `update step s set state = 'due', ready_at = now(), changed_at = now() from unnest($1::uuid[]) as v (run)
     where s.run = v.run and s.state = 'blocked' and s.pending = 0`,
    [runs],
  );
}
