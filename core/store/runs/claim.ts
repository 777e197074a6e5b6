import type { Json, JsonObject } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";
import { openInputs, openItems, type StepKey } from "./rows.ts";

export interface Candidate extends StepKey {
  readonly def: number;
  readonly parent: number | null;
  readonly item: Json;
  readonly queue: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly atMostOnce: boolean;
  readonly exclusive: boolean;
}

const wanted = rowSet<{ queue: string; most: number }>({ queue: "uuid", most: "bigint" });

/** Ready steps of these queues, locked: what another replica is just taking is passed over. */
export async function readyCandidates(
  sql: Sql,
  queues: readonly { queue: string; most: number }[],
): Promise<Candidate[]> {
  const rows = await sql.query<Candidate>(
    `select s.run, s.seq, s.def, s.parent, s.item, s.queue, s.epoch, s.attempt, s.at_most_once as "atMostOnce", s.exclusive
     from ${wanted.from} cross join lateral (
       select run, seq, def, parent, item, queue, epoch, attempt, at_most_once, exclusive from step
       where awaits = 'claim' and queue = v.queue order by priority desc, ready_at, run, seq limit v.most
       for update skip locked) as s`,
    wanted.values(queues),
  );
  return openItems(sql, rows);
}

export interface Assignment extends StepKey {
  /** The candidate's place in its list. */
  readonly at: number;
  readonly agent: string;
  readonly session: string;
}

const assigned = rowSet<Assignment>({
  at: "int",
  run: "uuid",
  seq: "bigint",
  agent: "uuid",
  session: "uuid",
});

/** Offers locked candidates; only to an agent whose session is still this one and that is not drained. Returns the places of those that were. */
export async function offerSteps(sql: Sql, assignments: readonly Assignment[]): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ at: number }>(
    `update step s set state = 'offered', epoch = s.epoch + 1, attempt = s.attempt + 1, tries = s.tries + 1, agent = v.agent,
       offered_at = now(), started_at = null, changed_at = now()
     from ${assigned.from} join agent a on a.uid = v.agent and a.session = v.session and not a.drained
     where s.run = v.run and s.seq = v.seq returning v.at`,
    assigned.values(assignments),
  );
  return new Set(rows.map((row) => row.at));
}

/** What an offer must know of its run; it never changes. */
export interface RunHead {
  readonly id: string;
  readonly scope: string;
  readonly kind: string;
  readonly name: string;
  readonly graph: Buffer;
  readonly inputs: JsonObject;
  readonly cause: string;
  readonly scheduledAt: string | null;
}

export async function readHeads(sql: Sql, ids: readonly string[]): Promise<RunHead[]> {
  const rows = await sql.query<RunHead>(
    `select r.id, r.scope, r.kind, r.name, r.graph, r.inputs, r.cause, r.scheduled_at as "scheduledAt"
     from unnest($1::uuid[]) as v (id) join run r on r.id = v.id`,
    [ids],
  );
  return openInputs(sql, rows);
}

export interface AcceptKey {
  /** Its place in the list, to be told apart by. */
  readonly at: number;
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
  readonly agent: string;
}

const accepted = rowSet<AcceptKey>({
  at: "int",
  run: "uuid",
  seq: "bigint",
  epoch: "bigint",
  agent: "uuid",
});

/**
 * Makes offered steps running, if they are still this agent's by this epoch; a repeated accept finds its step running and hears
 * yes again. Nobody may have told them to stop, save those that may have begun already: they hear of it by themselves. Keys come
 * in the order of run and seq: rows are locked as they are found.
 */
export async function acceptSteps(sql: Sql, keys: readonly AcceptKey[]): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ at: number }>(
    `update step s set state = 'running', started_at = coalesce(s.started_at, now()), changed_at = now() from ${accepted.from}
     where s.run = v.run and s.seq = v.seq and s.epoch = v.epoch and s.agent = v.agent
       and s.state in ('offered', 'running')
       and (s.stopping_at is null or not s.at_most_once and not s.exclusive) returning v.at`,
    accepted.values(keys),
  );
  return new Set(rows.map((row) => row.at));
}

/** Of these, the ones that wait for this very agent to say what became of them: it was given up for lost, and is yet to say hello. */
export async function awaitedSteps(sql: Sql, keys: readonly AcceptKey[]): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ at: number }>(
    `select v.at from ${accepted.from} join step s on s.run = v.run and s.seq = v.seq
     where s.epoch = v.epoch and s.agent = v.agent and s.reason = 'lost'`,
    accepted.values(keys),
  );
  return new Set(rows.map((row) => row.at));
}

/** Offers that these agents have left lying for too long, by the database's clock. */
export function staleOffers(
  sql: Sql,
  agents: readonly string[],
  olderMs: number,
): Promise<{ run: string; seq: number; epoch: number; agent: string }[]> {
  return sql.query(
    `select s.run, s.seq, s.epoch, s.agent from unnest($1::uuid[]) as v (agent) join step s on s.agent = v.agent
     where s.awaits = 'agent' and s.state = 'offered' and s.offered_at < now() - $2 * interval '1 millisecond'`,
    [agents, olderMs],
  );
}
