import type { Json, JsonObject } from "@reeve/model";
import { keepJson, keptRow } from "../at-rest/at-rest.ts";
import { inputs, items } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";

export interface NewRun {
  readonly id: string;
  readonly scope: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly graph: Buffer;
  readonly state: string;
  readonly why: string;
  readonly cause: string;
  readonly by: string;
  readonly inputs: JsonObject;
  readonly priority: number;
  readonly limitKey: string | null;
  readonly scheduledAt: string | null;
  readonly parentRun: string | null;
  readonly parentSeq: number | null;
  readonly open: number;
  readonly settles: boolean;
  /** From now; null when nothing wakes it. */
  readonly timeoutMs: number | null;
}

const runs = rowSet<NewRun>({
  id: "uuid",
  scope: "text",
  kind: "text",
  name: "text",
  uid: "uuid",
  generation: "bigint",
  graph: "bytea",
  state: "text",
  why: "text",
  cause: "text",
  by: "text",
  inputs: "jsonb",
  priority: "bigint",
  limitKey: "text",
  scheduledAt: "timestamptz",
  parentRun: "uuid",
  parentSeq: "bigint",
  open: "bigint",
  settles: "boolean",
  timeoutMs: "bigint",
});

export async function insertRuns(sql: Sql, rows: readonly NewRun[]): Promise<void> {
  await sql.query(
    `insert into run (${runs.names.replace(", timeout_ms", "")}, wake_at, started_at, ended_at)
     select ${runs.names.replace(", timeout_ms", "")}, now() + timeout_ms * interval '1 millisecond',
       case when state = 'running' then now() end, case when state = 'skipped' then now() end
     from ${runs.from}`,
    runs.values(rows.map((row) => keptRow(sql, inputs, row, "inputs", [row.id]))),
  );
}

export interface NewStep {
  readonly run: string;
  /** Of its run. */
  readonly scope: string;
  readonly seq: number;
  readonly def: number;
  readonly parent: number | null;
  readonly item: unknown;
  readonly state: string;
  readonly reason: string | null;
  readonly pending: number;
  readonly plain: boolean;
  readonly queue: string;
  readonly priority: number;
  readonly limitKey: string | null;
  readonly atMostOnce: boolean;
  readonly exclusive: boolean;
  readonly epoch: number;
  /** From now, for what is ready: when the engine must look whether it has begun. */
  readonly wakeMs: number | null;
}

const steps = rowSet<Omit<NewStep, "scope">>({
  run: "uuid",
  seq: "bigint",
  def: "bigint",
  parent: "bigint",
  item: "jsonb",
  state: "text",
  reason: "text",
  pending: "bigint",
  plain: "boolean",
  queue: "uuid",
  priority: "bigint",
  limitKey: "text",
  atMostOnce: "boolean",
  exclusive: "boolean",
  epoch: "bigint",
  wakeMs: "bigint",
});

const named = steps.names.replace(", wake_ms", "");

export async function insertSteps(sql: Sql, rows: readonly NewStep[]): Promise<void> {
  await sql.query(
    `insert into step (${named}, ready_at, first_ready_at, wake_at)
     select ${named}, case when state in ('ready', 'waiting') then now() end, case when state = 'ready' then now() end,
       now() + wake_ms * interval '1 millisecond' from ${steps.from}`,
    steps.values(rows.map((row) => ({ ...row, item: itemText(sql, row) }))),
  );
}

function itemText(sql: Sql, { run, seq, scope, item }: NewStep): string | null {
  if (item === undefined) return null;
  return JSON.stringify(keepJson(sql.atRest?.sealer(scope), items, [run, seq], item as Json));
}
