import type { Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";

export interface RunPromise {
  readonly run: string;
  readonly what: "start" | "finish";
  readonly withinMs: number;
  readonly channels: readonly string[];
}

/** Counted from the tick a run stands for, or else from now. */
export async function insertPromises(
  sql: Sql,
  rows: readonly (RunPromise & { readonly since: string | null })[],
): Promise<void> {
  await sql.query(
    `insert into run_promise (run, what, due_at, within_ms, channels)
     select v.run, v.what, coalesce(v.since, now()) + v.within_ms * interval '1 millisecond', v.within_ms, v.channels
     from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::bigint[], $5::jsonb[])
       as v (run, what, since, within_ms, channels)`,
    [
      rows.map((row) => row.run),
      rows.map((row) => row.what),
      rows.map((row) => row.since),
      rows.map((row) => row.withinMs),
      rows.map((row) => JSON.stringify(row.channels)),
    ],
  );
}

/** They have ended in time. Those past their time are left to be judged. */
export async function keptPromises(sql: Sql, runs: readonly string[]): Promise<void> {
  await sql.query("delete from run_promise where run = any($1::uuid[]) and due_at > now()", [runs]);
}

export interface DuePromise extends RunPromise {
  readonly scope: Scope;
  readonly uid: string;
  readonly name: string;
  /** It was not kept. */
  readonly late: boolean;
}

/** Takes promises whose time has come, and tells which of them were broken. Each is judged once. */
export function takePromises(sql: Sql, limit: number): Promise<DuePromise[]> {
  return sql.query<DuePromise>(
    `with due as (
       delete from run_promise where (run, what) in (
         select run, what from run_promise where due_at <= now() order by due_at limit $1 for update skip locked)
       returning run, what, due_at, within_ms, channels)
     select d.run, d.what, d.within_ms as "withinMs", d.channels, r.scope, r.uid, r.name,
       case d.what when 'finish' then coalesce(r.ended_at, now()) > d.due_at
         else not exists (select 1 from step s where s.run = d.run and s.started_at <= d.due_at)
           and coalesce(r.ended_at, now()) > d.due_at end as late
     from due d join run r on r.id = d.run`,
    [limit],
  );
}

export interface FailedStep {
  readonly run: string;
  readonly name: string;
  readonly why: string;
  readonly seq: number;
  readonly epoch: number;
  /** Whether an agent has begun it, so that there may be output. */
  readonly began: boolean;
}

/** The first steps of these runs that failed, by name, for people. */
export function failedSteps(sql: Sql, runs: readonly string[]): Promise<FailedStep[]> {
  return sql.query<FailedStep>(
    `select s.run, g.graph -> 'steps' -> s.def::int ->> 'name' as name, s.why, s.seq, s.epoch,
       s.agent is not null and s.started_at is not null as began
     from unnest($1::uuid[]) as v (run) join run r on r.id = v.run join run_graph g on g.digest = r.graph
     join step s on s.run = r.id where s.state = 'failed' order by s.run, s.seq limit 100`,
    [runs],
  );
}

/** Written down with the run, for whoever looks at it later. */
export async function insertLateEvents(
  sql: Sql,
  rows: readonly { id: string; run: string; message: string }[],
): Promise<void> {
  await sql.query(
    `insert into run_event (run, id, tone, reason, message)
     select v.run, v.id, 'warning', 'Late', v.message from unnest($1::uuid[], $2::uuid[], $3::text[]) as v (run, id, message)`,
    [rows.map((row) => row.run), rows.map((row) => row.id), rows.map((row) => row.message)],
  );
}
