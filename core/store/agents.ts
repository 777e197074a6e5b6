import type { JsonObject } from "@reeve/model";
import type { Sql } from "./sql.ts";

/** What the control plane knows of an agent by its identity. Sessions and leases are the engine's, in runs/. */
export interface KnownAgent {
  readonly uid: string;
  readonly scope: string;
  readonly name: string;
  readonly generation: number;
  /** False: it showed the identity before its present one. */
  readonly current: boolean;
  readonly expired: boolean;
  readonly revoked: boolean;
  /** The present identity has been used, and since when; the one before is then of no more use. */
  readonly used: boolean;
  readonly usedForMs: number;
  /** At most so many attempts at once, if its Host says so. */
  readonly slotsAllowed: number | null;
  /** How long ago the identity that was shown expired. */
  readonly expiredForMs: number;
}

/** The agent with this identity, while there is its Host. */
export async function findAgent(sql: Sql, identity: Buffer): Promise<KnownAgent | undefined> {
  const rows = await sql.query<KnownAgent>(
    `select a.uid, a.scope, a.name, a.identity_generation as generation, a.current, a.slots_allowed as "slotsAllowed", a.revoked_at is not null as revoked,
       a.expires_at <= now() as expired, extract(epoch from now() - a.expires_at)::float8 * 1000 as "expiredForMs",
       a.identity_used_at is not null as used, coalesce(extract(epoch from now() - a.identity_used_at)::float8 * 1000, 0) as "usedForMs"
     from (
       select *, true as current, identity_expires_at as expires_at from agent where identity = $1
       union all
       select *, false as current, identity_before_expires_at as expires_at from agent where identity_before = $1) as a
     join resource r on r.uid = a.uid and r.deleting_at is null`,
    [identity],
  );
  return rows[0];
}

export interface AgentIdentity {
  /** SHA-256 of its certificate, or of its bearer token. */
  readonly hash: Buffer;
  readonly expiresAt: string;
  /** The authority that was current when it was issued. */
  readonly authority: string;
}

/** What an agent takes over from its Host. */
export interface HostOfAgent {
  readonly uid: string;
  readonly scope: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly drained: boolean;
  readonly slotsAllowed: number | undefined;
}

export interface JoiningAgent extends HostOfAgent {
  readonly identity: AgentIdentity;
  readonly enrolment: Buffer | undefined;
  readonly hello: JsonObject;
}

/**
 * A new agent of a Host, in the place of the one before, whose session ends with it and whose lease runs on: until then it may still be
 * doing something. Returns the generation of its identity.
 */
export async function insertAgent(sql: Sql, agent: JoiningAgent): Promise<number> {
  const rows = await sql.query<{ generation: number }>(
    `insert into agent (uid, scope, name, labels, drained, slots_allowed, identity, identity_expires_at, enrolment, hello, state,
       lease_until, beat_at, identity_authority)
     values ($1::uuid, $2, $3, $4::jsonb || ${factLabels("$10::jsonb", "$3::text", "$1::uuid")}, $5, $6, $7, $8::timestamptz, $9, $10::jsonb, 'joined', now(), now(), $11::uuid)
     on conflict (uid) do update set scope = excluded.scope, name = excluded.name, labels = excluded.labels,
       drained = excluded.drained, slots_allowed = excluded.slots_allowed, identity = excluded.identity, identity_expires_at = excluded.identity_expires_at,
       identity_authority = excluded.identity_authority, identity_before = null, identity_before_expires_at = null, identity_used_at = null,
       identity_generation = agent.identity_generation + 1, enrolment = excluded.enrolment, hello = excluded.hello,
       revoked_at = null, left_at = null, shown = '', hello_number = 0, session = null, restored_generation = null
     returning identity_generation as generation`,
    [
      agent.uid,
      agent.scope,
      agent.name,
      JSON.stringify(agent.labels),
      agent.drained,
      agent.slotsAllowed ?? null,
      agent.identity.hash,
      agent.identity.expiresAt,
      agent.enrolment ?? null,
      JSON.stringify(agent.hello),
      agent.identity.authority,
    ],
  );
  return rows[0]?.generation ?? 1;
}

/** The Host that was joined with exactly this token and key, while its identity has not been used. */
export async function findEnrolment(
  sql: Sql,
  enrolment: Buffer,
): Promise<Pick<KnownAgent, "uid" | "scope" | "name" | "generation"> | undefined> {
  const rows = await sql.query<Pick<KnownAgent, "uid" | "scope" | "name" | "generation">>(
    `select a.uid, a.scope, a.name, a.identity_generation as generation from agent a join resource r on r.uid = a.uid and r.deleting_at is null
     where a.enrolment = $1 and a.identity_used_at is null and a.revoked_at is null`,
    [enrolment],
  );
  return rows[0];
}

/** A new identity for an agent that missed the one it was given when it joined; false when it has been used meanwhile. */
export async function reissueIdentity(sql: Sql, uid: string, identity: AgentIdentity): Promise<boolean> {
  const rows = await sql.query(
    `update agent set identity = $2, identity_expires_at = $3::timestamptz, identity_authority = $4::uuid
     where uid = $1::uuid and identity_used_at is null and revoked_at is null returning 1 as done`,
    [uid, identity.hash, identity.expiresAt, identity.authority],
  );
  return rows.length > 0;
}

/**
 * Renews by the identity that was shown, which stays as the one before. Undefined when that is neither the present one nor,
 * while the present one has not been used, the one before: an answer that was missed is asked for again.
 */
export async function renewIdentity(
  sql: Sql,
  uid: string,
  shown: Buffer,
  identity: AgentIdentity,
): Promise<number | undefined> {
  const rows = await sql.query<{ generation: number }>(
    `update agent set identity = $3, identity_expires_at = $4::timestamptz, identity_before = $2, identity_used_at = null,
       identity_before_expires_at = case when identity = $2 then identity_expires_at else identity_before_expires_at end,
       identity_authority = $5::uuid, identity_generation = identity_generation + 1, enrolment = null
     where uid = $1::uuid and revoked_at is null and (identity = $2 or (identity_before = $2 and identity_used_at is null))
     returning identity_generation as generation`,
    [uid, shown, identity.hash, identity.expiresAt, identity.authority],
  );
  return rows[0]?.generation;
}

/** The present identity is in use: from now on whoever shows the one before is a clone. */
export async function markIdentityUsed(sql: Sql, uid: string, identity: Buffer): Promise<void> {
  await sql.query(
    "update agent set identity_used_at = now() where uid = $1::uuid and identity = $2 and identity_used_at is null",
    [uid, identity],
  );
}

/** No identity of this agent works any more. Its lease runs on: what it may still be doing goes elsewhere only after that. */
export async function revokeAgent(sql: Sql, uid: string): Promise<void> {
  await sql.query(
    "update agent set revoked_at = coalesce(revoked_at, now()), enrolment = null where uid = $1::uuid",
    [uid],
  );
}

/** Of these agents those whom the control plane serves no more, and those that should renew onto this authority. */
export function agentsToTell(
  sql: Sql,
  uids: readonly string[],
  authority: string,
): Promise<{ readonly uid: string; readonly served: boolean }[]> {
  return sql.query<{ uid: string; served: boolean }>(
    // By its key one after another: of a list joined with a list, a plan made for few reads ten thousand times ten thousand rows.
    `select v.uid, r.uid is not null as served from unnest($1::uuid[]) as v (uid)
     left join agent a on a.uid = v.uid and a.revoked_at is null
     left join resource r on r.uid = a.uid and r.deleting_at is null
     where r.uid is null or a.identity_authority is distinct from $2::uuid`,
    [uids, authority],
  );
}

/** Keeps to what the Host says, in the transaction of its write. */
export async function followHost(sql: Sql, host: HostOfAgent): Promise<void> {
  await sql.query(
    `update agent set scope = $2, name = $3, labels = $4::jsonb || ${factLabels("hello", "$3::text")}, drained = $5, slots_allowed = $6
     where uid = $1::uuid`,
    [host.uid, host.scope, host.name, JSON.stringify(host.labels), host.drained, host.slotsAllowed ?? null],
  );
}

/** What it says of itself when it connects; nothing when another machine has taken its place since it showed its identity. */
export async function writeHello(sql: Sql, uid: string, identity: Buffer, hello: JsonObject): Promise<void> {
  await sql.query(
    `update agent set hello = $2::jsonb, labels = labels || ${factLabels("$2::jsonb", "name")}
     where uid = $1::uuid and revoked_at is null and (identity = $3 or identity_before = $3)`,
    [uid, JSON.stringify(hello), identity],
  );
}

/** Whether another process has taken over since this session. */
export async function hasOtherSession(sql: Sql, uid: string, session: string): Promise<boolean> {
  const rows = await sql.query("select 1 as found from agent where uid = $1::uuid and session <> $2::uuid", [
    uid,
    session,
  ]);
  return rows.length > 0;
}

/** Labels that steps may select by and that nobody gives: `reeve/os`, `reeve/arch`, `reeve/host` and, for what must be one host only, `reeve/uid`. */
function factLabels(hello: string, name: string, uid = "uid"): string {
  return `jsonb_build_object('reeve/host', ${name}, 'reeve/uid', ${uid}::text, 'reeve/os', coalesce(${hello} #>> '{facts,os}', ''),
       'reeve/arch', coalesce(${hello} #>> '{facts,arch}', ''))`;
}

/** An agent as its Host shows it. */
export interface ShownAgent {
  readonly state: "joined" | "connected" | "suspect" | "lost" | "revoked";
  readonly revoked: boolean;
  /** Its process has said that it ends, and none has come after it. */
  readonly left: boolean;
  readonly seenAt: string;
  readonly slots: number;
  readonly hello: JsonObject;
  /** What it says of itself that people should see to. */
  readonly troubles: readonly string[];
}

export async function readAgent(sql: Sql, uid: string): Promise<ShownAgent | undefined> {
  const rows = await sql.query<ShownAgent>(
    `select state, revoked_at is not null as revoked, left_at is not null as left, beat_at as "seenAt", slots, hello,
       coalesce(status -> 'troubles', '[]') as troubles from agent where uid = $1::uuid`,
    [uid],
  );
  return rows[0];
}

/** The Host shows this now; unless there are other troubles meanwhile. */
export async function markShown(
  sql: Sql,
  uid: string,
  { state, troubles }: Pick<ShownAgent, "state" | "troubles">,
): Promise<void> {
  await sql.query(
    `update agent set shown = $2 where uid = $1::uuid and shown <> $2
     and coalesce(status -> 'troubles', '[]') = $3::jsonb`,
    [uid, state, JSON.stringify(troubles)],
  );
}

/** Makes the Hosts due that show another state or other troubles than their agents have; tells whether there were any. */
export async function wakeHosts(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `update look set due_at = clock_timestamp() where uid in (
       select a.uid from agent a join resource r on r.uid = a.uid and not r.paused where a.shown <> a.state
       union select k.resource_uid from agent a join kept k on k.agent_uid = a.uid where a.shown <> a.state limit 1000)
       and (due_at is null or due_at > clock_timestamp()) returning 1 as woken`,
  );
  return rows.length > 0;
}

/** Whether any agent is connected and has been heard lately: after an outage of everything a row may say what was. */
export async function anyConnected(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `select 1 as found from agent
     where state = 'connected' and revoked_at is null and beat_at > now() - interval '15 seconds' limit 1`,
  );
  return rows.length > 0;
}

/** The replica at which the agent's life line ends; undefined while it has none. */
export async function agentReplica(sql: Sql, uid: string): Promise<string | undefined> {
  const rows = await sql.query<{ replica: string | null }>(
    "select replica from agent where uid = $1::uuid and state = 'connected' and left_at is null and revoked_at is null",
    [uid],
  );
  return rows[0]?.replica ?? undefined;
}
