import type { Json } from "@reeve/model";
import { keptRow } from "../at-rest/at-rest.ts";
import { stepOutputs } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";
import type { StepKey, StepRow } from "./rows.ts";

/** What the hot path writes of a step that has ended; everything else of it stays. */
export interface Ending extends StepKey {
  /** Of its run. */
  readonly scope: string;
  readonly state: string;
  readonly why: string;
  readonly exitCode: number | null;
  readonly outputs: Json;
  readonly startedAt: string | null;
}

const endings = rowSet<Omit<Ending, "scope">>({
  run: "uuid",
  seq: "bigint",
  state: "text",
  why: "text",
  exitCode: "bigint",
  outputs: "jsonb",
  startedAt: "timestamptz",
});

export async function endSteps(sql: Sql, rows: readonly Ending[]): Promise<void> {
  await sql.query(
    `update step s set state = v.state, reason = null, why = v.why, exit_code = v.exit_code, outputs = v.outputs,
       started_at = coalesce(s.started_at, case when v.started_at is not null then coalesce(s.offered_at, v.started_at) end), ended_at = now(), wake_at = null, stopping_at = null,
       changed_at = now()
     from ${endings.from} where s.run = v.run and s.seq = v.seq`,
    endings.values(rows.map((row) => withOutputs(sql, row))),
  );
}

/** A step's row with its outputs as they are to be kept. */
export function withOutputs<Row extends StepKey & { readonly scope: string; readonly outputs: Json }>(
  sql: Sql,
  row: Row,
): Row {
  return keptRow(sql, stepOutputs, row, "outputs", [row.run, row.seq]);
}

/** What else may change of a step, as a whole: the row was read under its lock. `pending` is told apart. */
export interface StepChange extends StepKey {
  readonly state: string;
  readonly reason: string | null;
  readonly why: string;
  readonly queue: string;
  readonly limitKey: string | null;
  readonly tries: number;
  readonly agent: string | null;
  readonly child: string | null;
  /** From now; null when nothing wakes it. */
  readonly wakeMs: number | null;
  readonly stopping: boolean;
  /** Its outputs go, and it has all its time anew. */
  readonly forgets: boolean;
}

const changes = rowSet<StepChange>({
  run: "uuid",
  seq: "bigint",
  state: "text",
  reason: "text",
  why: "text",
  queue: "uuid",
  limitKey: "text",
  tries: "bigint",
  agent: "uuid",
  child: "uuid",
  wakeMs: "bigint",
  stopping: "boolean",
  forgets: "boolean",
});

export function changeOf(step: StepRow, change: Partial<StepChange>): StepChange {
  const { run, seq, state, reason, why, queue, limitKey, tries, agent, child } = step;
  return {
    ...{ run, seq, state, reason, why, queue, limitKey, tries, agent, child, forgets: false },
    ...{ wakeMs: null, stopping: step.stoppingAt !== null },
    ...change,
  };
}

/** What waits on for the same thing has waited since it began to. */
export async function changeSteps(sql: Sql, rows: readonly StepChange[]): Promise<void> {
  await sql.query(
    `update step s set state = v.state, reason = v.reason, why = v.why, queue = v.queue, limit_key = v.limit_key, tries = v.tries,
       agent = v.agent, child = v.child, outputs = case when not v.forgets then s.outputs end, changed_at = now(),
       ready_at = case when v.state = s.state and v.reason is not distinct from s.reason and v.child is not distinct from s.child then s.ready_at
         when v.state in ('ready', 'waiting') then now() else s.ready_at end,
       first_ready_at = case when v.forgets then null when v.state = 'ready' or v.reason in ('resource', 'run') then coalesce(s.first_ready_at, now())
         when v.state = 'blocked' then null else s.first_ready_at end,
       ended_at = case when v.state in ('succeeded', 'failed', 'cancelled', 'skipped') then now() end,
       stopping_at = case when v.stopping then coalesce(s.stopping_at, now()) end,
       wake_at = now() + v.wake_ms * interval '1 millisecond'
     from ${changes.from} where s.run = v.run and s.seq = v.seq`,
    changes.values(rows),
  );
}

/** Steps that wait for as many fewer. `begin` says what becomes of a plain one that waits for none any more. */
export interface Fewer extends StepKey {
  readonly fewer: number;
  readonly troubled: boolean;
  readonly begin: "ready" | "due" | "waiting";
  readonly wakeMs: number | null;
}

const fewer = rowSet<Fewer>({
  run: "uuid",
  seq: "bigint",
  fewer: "bigint",
  troubled: "boolean",
  begin: "text",
  wakeMs: "bigint",
});

/** One row a step: touching the same row twice in a statement would lose one. Returns what stands open now. */
export function lessPending(sql: Sql, rows: readonly Fewer[]): Promise<(StepKey & { state: string })[]> {
  return sql.query(
    `update step s set pending = s.pending - v.fewer, troubled = s.troubled or v.troubled, changed_at = now(),
       state = case when s.pending > v.fewer then s.state when s.plain and not (s.troubled or v.troubled) then v.begin
         else 'due' end,
       reason = case when s.pending > v.fewer then s.reason
         when s.plain and not (s.troubled or v.troubled) and v.begin = 'waiting' then 'paused' end,
       ready_at = case when s.pending = v.fewer then now() else s.ready_at end,
       first_ready_at = case when s.pending = v.fewer and s.plain and v.begin = 'ready' then now() else s.first_ready_at end,
       wake_at = case when s.pending = v.fewer and s.plain then now() + v.wake_ms * interval '1 millisecond' else s.wake_at end
     from ${fewer.from} where s.run = v.run and s.seq = v.seq and s.ended_at is null returning s.run, s.seq, s.state`,
    fewer.values(rows),
  );
}

/** A fan-out waits for its items, a reopened step for what it needs: the number is known, not counted down. */
export async function setPending(
  sql: Sql,
  rows: readonly (StepKey & { pending: number; troubled: boolean })[],
): Promise<void> {
  await sql.query(
    `update step s set pending = v.pending, troubled = v.troubled from ${pendings.from} where s.run = v.run and s.seq = v.seq`,
    pendings.values(rows),
  );
}

const pendings = rowSet<StepKey & { pending: number; troubled: boolean }>({
  run: "uuid",
  seq: "bigint",
  pending: "bigint",
  troubled: "boolean",
});

/** A step of an ended run that is to be done again. */
export interface Reopened extends StepKey {
  readonly pending: number;
  readonly troubled: boolean;
  /** Its run begins at once, and it waits for nothing that is reopened too. */
  readonly due: boolean;
  /** At least this. */
  readonly epoch: number;
}

const reopened = rowSet<Reopened>({
  run: "uuid",
  seq: "bigint",
  pending: "bigint",
  troubled: "boolean",
  due: "boolean",
  epoch: "bigint",
});

/** Epoch and attempt go on counting; everything else is as it was in the beginning. */
export async function reopenSteps(sql: Sql, rows: readonly Reopened[]): Promise<void> {
  await sql.query(
    `update step s set state = case when v.due then 'due' else 'blocked' end, reason = null, why = '', pending = v.pending,
       troubled = v.troubled, epoch = greatest(s.epoch, v.epoch), limit_key = null, tries = 0, agent = null, child = null, first_ready_at = null,
       ready_at = case when v.due then now() end, offered_at = null, started_at = null, ended_at = null,
       stopping_at = null, wake_at = null, exit_code = null, outputs = null, changed_at = now()
     from ${reopened.from} where s.run = v.run and s.seq = v.seq`,
    reopened.values(rows),
  );
}

export async function removeItems(sql: Sql, run: string, parents: readonly number[]): Promise<void> {
  await sql.query("delete from step where run = $1 and parent = any($2::bigint[])", [run, parents]);
}
