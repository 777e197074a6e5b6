import type { Json, JsonObject, RunState, StepState, WaitReason } from "@reeve/model";
import { opened } from "../at-rest/at-rest.ts";
import { inputs, items, stepOutputs } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";

/** A run as the engine sees it, under its lock. */
export interface RunRow {
  readonly id: string;
  readonly scope: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly graph: Buffer;
  readonly state: RunState;
  readonly why: string;
  readonly cause: string;
  readonly inputs: JsonObject;
  readonly priority: number;
  readonly limitKey: string | null;
  readonly scheduledAt: string | null;
  readonly parentRun: string | null;
  readonly parentSeq: number | null;
  readonly pausedAt: string | null;
  readonly cancelledAt: string | null;
  readonly timedOut: boolean;
  readonly open: number;
  readonly failed: number;
  readonly settles: boolean;
  readonly wakeAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** By the database's clock: since it began, and whether its time to be looked at has come. */
  readonly startedMs: number | null;
  readonly woken: boolean;
}

export const runColumns = `r.id, r.scope, r.kind, r.name, r.uid, r.generation, r.graph, r.state, r.why, r.cause, r.inputs,
  r.priority, r.limit_key as "limitKey", r.scheduled_at as "scheduledAt", r.parent_run as "parentRun",
  r.parent_seq as "parentSeq", r.paused_at as "pausedAt", r.cancelled_at as "cancelledAt", r.timed_out as "timedOut",
  r.open, r.failed, r.settles, r.wake_at as "wakeAt", r.created_at as "createdAt", r.ended_at as "endedAt",
  (extract(epoch from now() - r.started_at) * 1000)::float8 as "startedMs", coalesce(r.wake_at <= now(), false) as woken`;

/** A step as the engine sees it, under its lock. */
export interface StepRow {
  readonly run: string;
  readonly seq: number;
  readonly def: number;
  readonly parent: number | null;
  readonly item: Json;
  readonly state: StepState;
  readonly reason: WaitReason | null;
  readonly why: string;
  readonly pending: number;
  readonly troubled: boolean;
  readonly plain: boolean;
  readonly queue: string;
  readonly priority: number;
  readonly limitKey: string | null;
  readonly atMostOnce: boolean;
  readonly exclusive: boolean;
  readonly epoch: number;
  readonly attempt: number;
  readonly tries: number;
  readonly agent: string | null;
  readonly child: string | null;
  readonly firstReadyAt: string | null;
  readonly readyAt: string | null;
  readonly offeredAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly stoppingAt: string | null;
  readonly wakeAt: string | null;
  readonly exitCode: number | null;
  readonly outputs: Json;
  /** By the database's clock: since it was first ready, since it was last, and whether its time to be looked at has come. */
  readonly openMs: number | null;
  readonly readyMs: number | null;
  readonly woken: boolean;
}

export const stepColumns = `s.run, s.seq, s.def, s.parent, s.item, s.state, s.reason, s.why, s.pending, s.troubled, s.plain,
  s.queue, s.priority, s.limit_key as "limitKey", s.at_most_once as "atMostOnce", s.exclusive, s.epoch, s.attempt, s.tries,
  s.agent, s.child, s.first_ready_at as "firstReadyAt", s.ready_at as "readyAt", s.offered_at as "offeredAt",
  s.started_at as "startedAt", s.ended_at as "endedAt", s.stopping_at as "stoppingAt", s.wake_at as "wakeAt",
  s.exit_code as "exitCode", s.outputs, (extract(epoch from now() - s.first_ready_at) * 1000)::float8 as "openMs",
  (extract(epoch from now() - s.ready_at) * 1000)::float8 as "readyMs", coalesce(s.wake_at <= now(), false) as woken`;

export interface StepKey {
  readonly run: string;
  readonly seq: number;
}

export interface HeldKey extends StepKey {
  readonly epoch: number;
}

export function openInputs<Row extends { readonly id: string; readonly inputs: JsonObject }>(
  sql: Sql,
  rows: Row[],
): Row[] | Promise<Row[]> {
  return opened(sql, inputs, rows, "inputs", ({ id }) => [id]);
}

export function openItems<Row extends StepKey & { readonly item: unknown }>(
  sql: Sql,
  rows: Row[],
): Row[] | Promise<Row[]> {
  return opened(sql, items, rows, "item", ({ run, seq }) => [run, seq]);
}

export function openOutputs<Row extends StepKey & { readonly outputs: unknown }>(
  sql: Sql,
  rows: Row[],
): Row[] | Promise<Row[]> {
  return opened(sql, stepOutputs, rows, "outputs", ({ run, seq }) => [run, seq]);
}

export async function openSteps<Row extends StepKey & { readonly item: unknown; readonly outputs: unknown }>(
  sql: Sql,
  rows: Row[],
): Promise<Row[]> {
  return openOutputs(sql, await openItems(sql, rows));
}
