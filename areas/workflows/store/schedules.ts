import type { JsonObject, Scope } from "@reeve/model";
import { keepJson, opened, type Place, type Sql } from "@reeve/store";
import type { Schedule } from "../kinds/index.ts";

export interface ScheduleRow {
  readonly workflow: string;
  readonly name: string;
  readonly scope: Scope;
  readonly workflowName: string;
  readonly spec: Schedule;
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  readonly lastRun: string | null;
  readonly trouble: string;
}

const columns = `workflow, name, scope, workflow_name as "workflowName", spec, next_at as "nextAt", last_at as "lastAt",
  last_run as "lastRun", trouble`;

/** What a schedule says, with the inputs of its runs. */
export const scheduleSpecs: Place = {
  ...{ table: "schedule", key: "workflow, name", column: "spec", form: "json", scope: "t.scope" },
};

async function read(sql: Sql, text: string, values: readonly unknown[]): Promise<ScheduleRow[]> {
  const rows = await sql.query<ScheduleRow>(text, values);
  return opened(sql, scheduleSpecs, rows, "spec", ({ workflow, name }) => [workflow, name]);
}

/**
 * Locks the schedules of a workflow, and waits for whoever is firing one: what is read before they are done would write their tick
 * back as the next. They wait for no schedule in turn.
 */
export function takeSchedulesOf(sql: Sql, workflow: string): Promise<ScheduleRow[]> {
  return read(sql, `select ${columns} from schedule where workflow = $1 order by name for update`, [
    workflow,
  ]);
}

/** Those of a scope and of what lies below it. */
export function listSchedules(sql: Sql, scope: Scope, limit: number): Promise<ScheduleRow[]> {
  const below = scope === "" ? { from: "", to: "\u{10ffff}" } : { from: `${scope}/`, to: `${scope}0` };
  return read(
    sql,
    `select ${columns} from schedule where scope = $1 or (scope >= $2 and scope < $3)
     order by scope, workflow_name, name limit $4`,
    [scope, below.from, below.to, limit],
  );
}

/** Writes what a workflow's spec says now, and forgets the schedules that it no longer has. */
export async function writeSchedules(
  sql: Sql,
  workflow: string,
  rows: readonly Pick<ScheduleRow, "name" | "scope" | "workflowName" | "spec" | "nextAt">[],
): Promise<void> {
  await sql.query("delete from schedule where workflow = $1 and not name = any($2::text[])", [
    workflow,
    rows.map((row) => row.name),
  ]);
  for (const { name, scope, workflowName, spec, nextAt } of rows)
    await sql.query(
      `insert into schedule (workflow, name, scope, workflow_name, spec, next_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (workflow, name) do update set spec = excluded.spec, next_at = excluded.next_at, trouble = ''`,
      [workflow, name, scope, workflowName, specText(sql, workflow, { name, scope, spec }), nextAt],
    );
}

function specText(
  sql: Sql,
  workflow: string,
  { name, scope, spec }: Pick<ScheduleRow, "name" | "scope" | "spec">,
): string {
  const plain = spec as unknown as JsonObject;
  return JSON.stringify(keepJson(sql.atRest?.sealer(scope), scheduleSpecs, [workflow, name], plain));
}

/** When the first one is due, from now on, in ms by the database's clock; undefined when none is. */
export async function untilNextTick(sql: Sql): Promise<number | undefined> {
  const [row] = await sql.query<{ ms: number }>(
    `select (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as ms from schedule
     where next_at is not null order by next_at limit 1`,
  );
  return row?.ms;
}

/** Locks schedules whose tick has come, that nobody else deals with at this moment. */
export function takeDue(sql: Sql, limit: number): Promise<ScheduleRow[]> {
  return read(
    sql,
    `select ${columns} from schedule where next_at <= now() order by next_at limit $1 for update skip locked`,
    [limit],
  );
}

/** The same without locks, to be taken one by one. */
export function listDue(sql: Sql, limit: number): Promise<ScheduleRow[]> {
  return read(sql, `select ${columns} from schedule where next_at <= now() order by next_at limit $1`, [
    limit,
  ]);
}

export function takeOneDue(sql: Sql, { workflow, name }: ScheduleRow): Promise<ScheduleRow[]> {
  return read(
    sql,
    `select ${columns} from schedule where workflow = $1 and name = $2 and next_at <= now() for update skip locked`,
    [workflow, name],
  );
}

/** Says whether it is news. */
export async function noteTrouble(
  sql: Sql,
  { workflow, name }: ScheduleRow,
  trouble: string,
): Promise<boolean> {
  const rows = await sql.query(
    "update schedule set trouble = $3 where workflow = $1 and name = $2 and trouble <> $3 returning name",
    [workflow, name, trouble],
  );
  return rows.length > 0;
}

export interface Fired {
  readonly workflow: string;
  readonly name: string;
  readonly nextAt: string | null;
  /** Null when no run was made: then the last one stays what it was. */
  readonly lastAt: string | null;
  readonly lastRun: string | null;
  readonly trouble: string;
}

export async function writeFired(sql: Sql, rows: readonly Fired[]): Promise<void> {
  const column = (of: (row: Fired) => string | null) => rows.map(of);
  await sql.query(
    `update schedule s set next_at = v.next_at, trouble = v.trouble,
       last_at = coalesce(v.last_at, s.last_at), last_run = coalesce(v.last_run, s.last_run)
     from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::uuid[], $6::text[])
       as v (workflow, name, next_at, last_at, last_run, trouble)
     where s.workflow = v.workflow and s.name = v.name`,
    [
      column((row) => row.workflow),
      column((row) => row.name),
      column((row) => row.nextAt),
      column((row) => row.lastAt),
      column((row) => row.lastRun),
      column((row) => row.trouble),
    ],
  );
}
