import type { Json } from "@reeve/model";
import type { Database } from "../database.ts";
import type { Candidate } from "./claim.ts";
import { rowSet } from "./row-set.ts";
import { openItems } from "./rows.ts";
import { withOutputs } from "./write.ts";

/** A step that has succeeded, with the places of those that wait for it. */
export interface Success {
  /** Its place in the list, to be told apart by. */
  readonly at: number;
  readonly run: string;
  /** Of its run. */
  readonly scope: string;
  readonly seq: number;
  readonly epoch: number;
  readonly agent: string;
  readonly exitCode: number | null;
  readonly outputs: Json;
  /** As Postgres writes an array: `{3,4}`. */
  readonly after: string;
  /** The agent's session, if what becomes ready by this may be offered to it at once. */
  readonly session: string | null;
  /** The limit of its own fan-out, if the next item that waits for it may take its place on the agent. */
  readonly place: string | null;
}

const successes = rowSet<Omit<Success, "scope">>({
  at: "int",
  run: "uuid",
  seq: "bigint",
  epoch: "bigint",
  agent: "uuid",
  exitCode: "bigint",
  outputs: "jsonb",
  after: "text",
  session: "uuid",
  place: "text",
});

export interface Succeeded {
  /** Places of those that were ended; the others were not running by that epoch on that agent. */
  readonly ended: readonly number[] | null;
  /** Limits under which there is room now. */
  readonly released: readonly string[] | null;
  readonly settles: boolean | null;
  /** Steps that are open now; those offered are so by the epoch they have here. */
  readonly opened: readonly (Candidate & { state: string; agent: string })[] | null;
}

const becomes = `case when s.pending > l.fewer then s.state when not s.plain or s.troubled or r.cancelled_at is not null then 'due'
  when r.paused_at is not null then 'waiting' when a.uid is not null then 'offered' else 'ready' end`;
const offered = `(s.pending = l.fewer and s.plain and not s.troubled and r.cancelled_at is null and r.paused_at is null and a.uid is not null)`;
const opening = `s.run, s.seq, s.def, s.parent, s.item, s.queue, s.epoch, s.attempt, s.at_most_once as "atMostOnce", s.exclusive,
  s.state, s.agent, s.limit_key`;

/**
 * Ends steps that succeeded, opens what waited for them, and counts for their runs, in one statement after the runs' lock and in
 * one round trip. What becomes ready is offered to the agent that has just got room, and so is the next item of a bounded fan-out,
 * which saves chains a transaction a step and fan-outs two. One item for another needs no counting: as many are under way as before,
 * and nobody else moves items of a run whose lock we have. Who comes out as not ended, also because this was done before, is looked
 * at one by one.
 */
export async function succeedSteps(database: Database, rows: readonly Success[]): Promise<Succeeded> {
  const ids = [...new Set(rows.map(({ run }) => run))];
  const [, answers] = await database.atOnce([
    { text: holdRuns, values: [ids] },
    { text: succeed, values: successes.values(rows.map((row) => withOutputs(database, row))) },
  ]);
  const answer = answers?.[0] as Succeeded | undefined;
  if (answer === undefined) return { ended: [], released: [], settles: false, opened: [] };
  return answer.opened === null
    ? answer
    : { ...answer, opened: await openItems(database, [...answer.opened]) };
}

/** The runs' locks come before any step's. */
const holdRuns =
  "select 1 from unnest($1::uuid[]) as v (id) join run r on r.id = v.id order by r.id for update of r";

/** A body that may begin before its accept is heard may have ended before it, too: then this says both. */
const succeed = `with ended as (
       update step s set state = 'succeeded', reason = null, why = '', exit_code = v.exit_code, outputs = v.outputs,
         started_at = coalesce(s.started_at, s.offered_at), ended_at = now(), wake_at = null, changed_at = now()
       from ${successes.from}
       where s.run = v.run and s.seq = v.seq and s.epoch = v.epoch and s.agent = v.agent and s.stopping_at is null
         and (s.state = 'running' or s.state = 'offered' and not s.at_most_once and not s.exclusive)
       returning v.at, s.run, s.limit_key, v.after::bigint[] as after, v.agent, v.session,
         case when s.limit_key = v.place then v.place end as place),
     counted as (select run, count(*) as ended from ended group by run),
     progressed as (
       update run r set open = r.open - c.ended, changed_at = now(),
         state = case when r.open > c.ended or r.settles then r.state when r.timed_out then 'failed'
           when r.cancelled_at is not null then 'cancelled' when r.failed > 0 then 'failed' else 'succeeded' end,
         ended_at = case when r.open > c.ended or r.settles then r.ended_at else now() end,
         wake_at = case when r.open > c.ended then r.wake_at when r.settles then now() end
       from counted c where r.id = c.run returning r.settles and r.open = 0 as settles),
     less as (
       select e.run, w.seq, count(*) as fewer, (array_agg(e.agent))[1] as agent, (array_agg(e.session))[1] as session
       from ended e cross join lateral unnest(e.after) as w (seq) group by e.run, w.seq),
     opened as (
       update step s set pending = s.pending - l.fewer, changed_at = now(), state = ${becomes},
         reason = case when s.pending > l.fewer then s.reason
           when s.plain and not s.troubled and r.cancelled_at is null and r.paused_at is not null then 'paused' end,
         ready_at = case when s.pending = l.fewer then now() else s.ready_at end,
         first_ready_at = case when s.pending = l.fewer and s.plain then now() else s.first_ready_at end,
         epoch = s.epoch + case when ${offered} then 1 else 0 end,
         attempt = s.attempt + case when ${offered} then 1 else 0 end,
         tries = s.tries + case when ${offered} then 1 else 0 end,
         agent = case when ${offered} then l.agent else s.agent end,
         offered_at = case when ${offered} then now() else s.offered_at end
       from less l join run r on r.id = l.run left join agent a on a.uid = l.agent and a.session = l.session and not a.drained
       where s.run = l.run and s.seq = l.seq and s.ended_at is null
       returning ${opening}),
     places as (
       select e.run, e.place, e.agent, count(*) as count from ended e
       join run r on r.id = e.run and r.cancelled_at is null and r.paused_at is null
       join agent a on a.uid = e.agent and a.session = e.session and not a.drained
       where e.place is not null group by e.run, e.place, e.agent),
     replaced as (
       update step s set state = 'offered', reason = null, why = '', epoch = s.epoch + 1, attempt = s.attempt + 1, tries = s.tries + 1,
         agent = n.agent, ready_at = now(), first_ready_at = coalesce(s.first_ready_at, now()), offered_at = now(),
         started_at = null, wake_at = null, changed_at = now()
       from (select p.agent, w.run, w.seq from places p cross join lateral (
           select run, seq from step where limit_key = p.place and ended_at is null and reason = 'limit'
           order by priority desc, ready_at, run, seq limit p.count) as w) as n
       where s.run = n.run and s.seq = n.seq
       returning ${opening}),
     rooms as (
       select limit_key, sum(room) as room from (
         select limit_key, 1 as room from ended where limit_key is not null
         union all select limit_key, -1 from replaced) as one group by limit_key)
     select (select array_agg(at) from ended) as ended,
       (select array_agg(limit_key) from rooms where room > 0) as released,
       (select bool_or(settles) from progressed) as settles,
       (select json_agg(o) from (
         select * from opened where state in ('ready', 'due', 'offered') union all select * from replaced) as o) as opened`;
