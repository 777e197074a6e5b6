import {
  itemSeqBase,
  type Json,
  type JsonObject,
  type Run,
  type RunGraph,
  type StepState,
  type WaitReason,
} from "@reeve/model";
import { opened } from "../at-rest/at-rest.ts";
import { graphs, items, outputs, stepOutputs } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";
import { openInputs } from "./rows.ts";

/** Runs and steps as people read them. Nothing here locks or writes. */
export interface RunRead {
  readonly run: Run;
  readonly limitKey: string | null;
  readonly graph: RunGraph;
}

export interface ShownRunRow {
  readonly id: string;
  readonly scope: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly state: Run["state"];
  readonly why: string;
  readonly cause: Run["cause"];
  readonly by: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject | null;
  readonly priority: number;
  readonly limitKey: string | null;
  readonly scheduledAt: string | null;
  readonly parentRun: string | null;
  readonly parentSeq: number | null;
  readonly pausedAt: string | null;
  readonly cancelledAt: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export const shownRunColumns = `r.id, r.scope, r.kind, r.name, r.uid, r.generation, r.state, r.why, r.cause, r.by, r.inputs, r.outputs,
  r.priority, r.limit_key as "limitKey", r.scheduled_at as "scheduledAt", r.parent_run as "parentRun",
  r.parent_seq as "parentSeq", r.paused_at as "pausedAt", r.cancelled_at as "cancelledAt", r.created_at as "createdAt",
  r.started_at as "startedAt", r.ended_at as "endedAt"`;

/** Runs as people see them, from their rows as they are kept. */
export async function runsFromRows(sql: Sql, kept: ShownRunRow[]): Promise<Run[]> {
  const rows = await opened(sql, outputs, await openInputs(sql, kept), "outputs", ({ id }) => [id]);
  return rows.map(runFromRow);
}

function runFromRow(row: ShownRunRow): Run {
  const { kind, name, uid, generation, inputs, priority } = row;
  return {
    id: row.id,
    scope: row.scope,
    about: { kind, name, uid, generation },
    state: row.state,
    why: row.why,
    cause: row.cause,
    by: row.by,
    inputs,
    ...(row.outputs === null ? {} : { outputs: row.outputs }),
    priority,
    ...(row.scheduledAt === null ? {} : { scheduledAt: row.scheduledAt }),
    ...(row.parentRun === null ? {} : { parent: { run: row.parentRun, seq: row.parentSeq ?? 0 } }),
    paused: row.pausedAt !== null,
    cancelling: row.cancelledAt !== null && row.endedAt === null,
    createdAt: row.createdAt,
    ...(row.startedAt === null ? {} : { startedAt: row.startedAt }),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt }),
  };
}

export async function readRun(sql: Sql, id: string): Promise<RunRead | undefined> {
  const rows = await sql.query<ShownRunRow & { digest: Buffer; graphNow: RunGraph }>(
    `select ${shownRunColumns}, g.digest, g.graph as "graphNow" from run r join run_graph g on g.digest = r.graph where r.id = $1::uuid`,
    [id],
  );
  const [row] = await opened(sql, graphs, rows, "graphNow", ({ digest }) => [digest]);
  const [run] = await runsFromRows(sql, rows);
  return row && run && { run, limitKey: row.limitKey, graph: row.graphNow };
}

/** Of how many runs, newest first, the end of the id is looked at; older ones are named in full. */
const endingsLooked = 100_000;

/** Runs whose id ends so: a few, to tell whether only one is meant. */
export function runsEndingIn(sql: Sql, ending: string): Promise<{ id: string; scope: string }[]> {
  return sql.query(
    `select r.id, r.scope from (select id from run where id > $2::uuid order by id desc limit $3) as v
     join run r on r.id = v.id where right(v.id::text, length($1)) = $1 limit 5`,
    [ending, "00000000-0000-0000-0000-000000000000", endingsLooked],
  );
}

export interface StepRead {
  readonly seq: number;
  readonly def: number;
  readonly parent: number | null;
  /** Of a fan-out's item. */
  readonly item: { readonly item: Json; readonly index: number } | null;
  readonly state: StepState;
  readonly reason: WaitReason | null;
  readonly why: string;
  readonly queue: string;
  readonly limitKey: string | null;
  readonly epoch: number;
  readonly attempt: number;
  readonly host: string | null;
  readonly hostState: string | null;
  readonly hostSeenAt: string | null;
  readonly child: string | null;
  readonly readyAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly wakeAt: string | null;
  readonly exitCode: number | null;
  /** None of a fan-out: they are its items'. */
  readonly outputs: JsonObject | null;
}

export const stepReadColumns = `s.seq, s.def, s.parent, s.item, s.state, s.reason, s.why, s.queue, s.limit_key as "limitKey", s.epoch,
  s.attempt, a.name as host, case when a.left_at is not null and a.state <> 'lost' then 'stopped' else a.state end as "hostState", a.beat_at as "hostSeenAt", s.child, s.ready_at as "readyAt", s.started_at as "startedAt", s.ended_at as "endedAt",
  s.wake_at as "wakeAt", s.exit_code as "exitCode",
  case when jsonb_typeof(s.outputs) = 'object' then s.outputs end as outputs`;

export interface StepFilter {
  /** Steps after this seq and before that one. */
  readonly after: number;
  readonly before?: number;
  readonly states?: readonly StepState[] | undefined;
}

export async function readSteps(
  sql: Sql,
  run: string,
  filter: StepFilter,
  limit: number,
): Promise<StepRead[]> {
  const rows = await sql.query<StepRead>(
    `select ${stepReadColumns} from step s left join agent a on a.uid = s.agent
     where s.run = $1::uuid and s.seq > $2 and s.seq < $3 and ($4::text[] is null or s.state = any($4))
     order by s.run, s.seq limit $5`,
    [run, filter.after, filter.before ?? Number.MAX_SAFE_INTEGER, filter.states ?? null, limit],
  );
  return openShown(sql, rows, () => run);
}

/** Steps as people see them. Whether sealed outputs are a fan-out's is seen only now. */
export async function openShown<Row extends StepRead>(
  sql: Sql,
  kept: Row[],
  runOf: (row: Row) => string,
): Promise<Row[]> {
  const withItems = await opened(sql, items, kept, "item", (row) => [runOf(row), row.seq]);
  const rows = await opened(sql, stepOutputs, withItems, "outputs", (row) => [runOf(row), row.seq]);
  return rows.map((row) => (Array.isArray(row.outputs) ? { ...row, outputs: null } : row));
}

export interface ItemCount {
  readonly parent: number;
  readonly state: StepState;
  readonly count: number;
}

/** How many items of each fan-out are in each state. */
export function countItems(sql: Sql, run: string): Promise<ItemCount[]> {
  return sql.query<ItemCount>(
    `select parent, state, count(*) as count from step where run = $1::uuid and seq >= $2
     group by parent, state order by parent, state`,
    [run, itemSeqBase],
  );
}

export interface AttemptRead {
  readonly seq: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly state: "succeeded" | "failed" | "cancelled" | "lost" | "returned";
  readonly why: string;
  readonly host: string | null;
  readonly exitCode: number | null;
  readonly startedAt: string | null;
  readonly endedAt: string;
}

const attemptColumns = `p.seq, p.attempt, p.epoch, p.state, p.why, a.name as host, p.exit_code as "exitCode", p.started_at as "startedAt",
  p.ended_at as "endedAt" from step_attempt p left join agent a on a.uid = p.agent`;

/** Attempts of a step that were followed by another, newest first. */
export function readAttempts(sql: Sql, run: string, seq: number, limit: number): Promise<AttemptRead[]> {
  return sql.query<AttemptRead>(
    `select ${attemptColumns} where p.run = $1::uuid and p.seq = $2 order by p.epoch desc limit $3`,
    [run, seq, limit],
  );
}

/** Of all steps of a run, after one of them. */
export function readRunAttempts(
  sql: Sql,
  run: string,
  after: { readonly seq: number; readonly epoch: number },
  limit: number,
): Promise<AttemptRead[]> {
  return sql.query<AttemptRead>(
    `select ${attemptColumns} where p.run = $1::uuid and (p.seq, p.epoch) > ($2, $3) order by p.run, p.seq, p.epoch limit $4`,
    [run, after.seq, after.epoch, limit],
  );
}

export interface RunEventRead {
  readonly id: string;
  readonly at: string;
  readonly seq: number | null;
  readonly tone: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
  readonly by: string;
}

/** What happened, oldest first. */
export function readRunEvents(
  sql: Sql,
  run: string,
  after: string | undefined,
  limit: number,
): Promise<RunEventRead[]> {
  return sql.query<RunEventRead>(
    `select id, at, seq, tone, reason, message, by from run_event where run = $1::uuid and id > $2::uuid order by run, id limit $3`,
    [run, after ?? "00000000-0000-0000-0000-000000000000", limit],
  );
}

/** Places in the graph of the steps, or of fan-outs with items, of which a person said what became of them. */
export async function readDecided(sql: Sql, run: string): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ def: number }>(
    `select distinct s.def from run_event e join step s on s.run = e.run and s.seq = e.seq
     where e.run = $1::uuid and e.reason in ('skipped', 'decided')`,
    [run],
  );
  return new Set(rows.map(({ def }) => def));
}

/** Something that is different whenever a run or one of its steps is: what followers look at before they read all of it. */
export async function runStamps(sql: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  // A sum, not the latest: what began earlier may be committed later.
  const rows = await sql.query<{ id: string; stamp: string }>(
    `select r.id, concat(extract(epoch from r.changed_at), ' ',
       (select concat(count(*), ' ', sum(extract(epoch from s.changed_at))) from step s where s.run = r.id)) as stamp
     from unnest($1::uuid[]) as v (id) join run r on r.id = v.id`,
    [ids],
  );
  return new Map(rows.map(({ id, stamp }) => [id, stamp]));
}
