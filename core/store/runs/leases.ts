import type { Json, JsonObject } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";
import { type StepRow, stepColumns } from "./rows.ts";

/** An agent as the engine sees it. */
export interface AgentRow {
  readonly uid: string;
  readonly scope: string;
  readonly name: string;
  readonly identity: Buffer;
  readonly identityBefore: Buffer | null;
  readonly revoked: boolean;
  readonly session: string | null;
  /** Of its newest hello. */
  readonly helloNumber: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly drained: boolean;
  readonly state: "joined" | "connected" | "suspect" | "lost";
  /** Its lease has not run out. */
  readonly leased: boolean;
}

const agentColumns = `uid, scope, name, identity, identity_before as "identityBefore", revoked_at is not null as revoked, session, hello_number as "helloNumber", labels, drained, state, lease_until > now() as leased`;

export async function lockAgent(sql: Sql, uid: string): Promise<AgentRow | undefined> {
  const rows = await sql.query<AgentRow>(`select ${agentColumns} from agent where uid = $1 for update`, [
    uid,
  ]);
  return rows[0];
}

export interface TakenSession {
  readonly uid: string;
  readonly session: string;
  readonly replica: string;
  readonly slots: number;
  readonly hello: JsonObject;
  readonly helloNumber: number;
  readonly leaseMs: number;
}

/** From here on the agent is this session's alone: claims, beats and offers of another one find nothing. */
export async function takeSession(sql: Sql, taken: TakenSession): Promise<void> {
  await sql.query(
    `update agent set session = $2, replica = $3, slots = $4, hello = $5, state = 'connected', beat_at = now(), left_at = null,
       lease_until = now() + $6 * interval '1 millisecond', hello_number = $7 where uid = $1`,
    [
      taken.uid,
      taken.session,
      taken.replica,
      taken.slots,
      JSON.stringify(taken.hello),
      taken.leaseMs,
      taken.helloNumber,
    ],
  );
}

/** The agent's process ends, in order: its Host shows it at once. The lease runs on, for the process that comes after it. */
export async function leaveSession(sql: Sql, uid: string, session: string): Promise<void> {
  await sql.query(
    "update agent set state = 'suspect', left_at = now(), shown = '' where uid = $1 and session = $2",
    [uid, session],
  );
}

/** Everything that is with an agent, also what it may still have of a lost lease. */
export function heldSteps(sql: Sql, agent: string): Promise<StepRow[]> {
  return sql.query<StepRow>(
    `select ${stepColumns} from step s
     where s.agent = $1 and s.awaits = 'agent' order by s.run, s.seq`,
    [agent],
  );
}

export interface BeatRow {
  readonly uid: string;
  readonly session: string;
  /** Null when it has not changed enough to be written. */
  readonly status: Json;
}

const beats = rowSet<BeatRow>({ uid: "uuid", session: "uuid", status: "jsonb" });

/** Renews leases, in the order of uids. Troubles that come or go make the Host show them, as a change of state does. An agent that is not answered has another session by now, or none. */
export function renewLeases(
  sql: Sql,
  rows: readonly BeatRow[],
  leaseMs: number,
): Promise<Pick<AgentRow, "uid" | "session" | "labels" | "drained" | "scope">[]> {
  return sql.query(
    `with mine as (
       select a.uid, v.status from ${beats.from} join agent a on a.uid = v.uid and a.session = v.session
       where a.state in ('connected', 'suspect') order by a.uid for update of a)
     update agent a set lease_until = now() + $4 * interval '1 millisecond', beat_at = now(), state = 'connected',
       status = coalesce(mine.status, a.status),
       shown = case when mine.status is not null and mine.status -> 'troubles' is distinct from a.status -> 'troubles' then ''
         else a.shown end from mine where a.uid = mine.uid
     returning a.uid, a.session, a.labels, a.drained, a.scope`,
    [...beats.values(rows), leaseMs],
  );
}

/** Nobody could renew: no lease may run out for it. */
export async function extendLeases(sql: Sql, leaseMs: number): Promise<void> {
  await sql.query(
    `update agent set lease_until = greatest(lease_until, now() + $1 * interval '1 millisecond')
     where state in ('connected', 'suspect')`,
    [leaseMs],
  );
}

/** Agents that have not been heard of for half their lease. */
export async function suspectAgents(sql: Sql, leaseMs: number): Promise<void> {
  await sql.query(
    `update agent set state = 'suspect'
     where state = 'connected' and lease_until < now() + $1 * interval '1 millisecond' / 2`,
    [leaseMs],
  );
}

export async function overdueAgents(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ uid: string }>(
    "select uid from agent where state in ('connected', 'suspect') and lease_until < now() order by uid",
  );
  return rows.map((row) => row.uid);
}

/** Takes the lease away, if it has really run out: looked at again under the lock. */
export async function loseAgent(sql: Sql, uid: string): Promise<boolean> {
  const rows = await sql.query(
    `update agent set state = 'lost', session = null
     where uid = $1 and state in ('connected', 'suspect') and lease_until < now() returning uid`,
    [uid],
  );
  return rows.length > 0;
}

/** Stops of running attempts that these agents have not carried out yet. */
export function stoppingSteps(
  sql: Sql,
  agents: readonly string[],
): Promise<{ run: string; seq: number; epoch: number; agent: string; why: string }[]> {
  return sql.query(
    `select s.run, s.seq, s.epoch, s.agent, s.why from unnest($1::uuid[]) as v (agent)
     join step s on s.agent = v.agent where s.stopping_at is not null and s.awaits = 'agent' and s.state in ('offered', 'running')`,
    [agents],
  );
}
