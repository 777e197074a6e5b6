import type { Sql } from "@reeve/store";
import { type Identified, leftMs, subjectColumns, subjectWorks } from "./credentials.ts";

/** A session ends at its time, and when nobody has used it for this long. */
export const idleDays = 7;
const lives = `s.expires_at > now() and s.seen_at > now() - interval '${idleDays} days'`;

export interface NewSession {
  readonly id: string;
  readonly hash: Buffer;
  readonly userUid: string;
  readonly factors: readonly string[];
  readonly authenticatedAt: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly agent: string;
}

export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql.query(
    `insert into session (id, hash, user_uid, factors, authenticated_at, expires_at, address, agent)
     values ($1::uuid, $2, $3::uuid, $4::jsonb, $5::timestamptz, $6::timestamptz, $7, $8)`,
    [
      session.id,
      session.hash,
      session.userUid,
      JSON.stringify(session.factors),
      session.authenticatedAt,
      session.expiresAt,
      session.address,
      session.agent.slice(0, 200),
    ],
  );
}

export interface IdentifiedSession extends Identified {
  readonly authenticatedAt: string;
  readonly fresh: boolean;
  readonly factors: readonly string[];
}

export async function findBySession(
  sql: Sql,
  hash: Buffer,
  freshMinutes: number,
): Promise<IdentifiedSession | undefined> {
  const rows = await sql.query<IdentifiedSession>(
    `select s.id, ${leftMs("s.expires_at")}, s.authenticated_at as "authenticatedAt", s.factors, ${subjectColumns},
       s.authenticated_at > now() - $2 * interval '1 minute' as fresh
     from session s join resource u on u.uid = s.user_uid where s.hash = $1 and ${lives} and ${subjectWorks}`,
    [hash, freshMinutes],
  );
  return rows[0];
}

export interface SessionRow {
  readonly id: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
  readonly authenticatedAt: string;
  readonly factors: readonly string[];
  readonly address: string;
  readonly agent: string;
}

export function listSessions(sql: Sql, userUid: string): Promise<SessionRow[]> {
  return sql.query<SessionRow>(
    `select s.id, s.created_at as "createdAt", s.seen_at as "seenAt", s.expires_at as "expiresAt",
       s.authenticated_at as "authenticatedAt", s.factors, s.address, s.agent
     from session s where s.user_uid = $1::uuid and ${lives} order by s.seen_at desc`,
    [userUid],
  );
}

/** A new proof of identity, and a new secret with it: who knew the old one has no part in what the proof allows. */
export async function renewSession(
  sql: Sql,
  id: string,
  { hash, factors, authenticatedAt }: Pick<NewSession, "hash" | "factors" | "authenticatedAt">,
): Promise<{ readonly expiresAt: string } | undefined> {
  const rows = await sql.query<{ expiresAt: string }>(
    `update session set hash = $2, factors = $3::jsonb, authenticated_at = $4::timestamptz where id = $1::uuid
     returning expires_at as "expiresAt"`,
    [id, hash, JSON.stringify(factors), authenticatedAt],
  );
  return rows[0];
}

/** Ends one session, or all of a user but one; returns how many ended. */
export async function endSessions(
  sql: Sql,
  userUid: string,
  which: { id: string } | { except: string | null },
): Promise<number> {
  const rows = await sql.query(
    `delete from session where user_uid = $1::uuid and ($2::uuid is null or id = $2::uuid) and ($3::uuid is null or id <> $3::uuid) returning id`,
    [userUid, "id" in which ? which.id : null, "id" in which ? null : which.except],
  );
  return rows.length;
}

/** Notes that a session is in use, at most once a minute, so that reads stay reads. */
export async function touchSession(sql: Sql, id: string): Promise<void> {
  await sql.query(
    "update session set seen_at = now() where id = $1::uuid and seen_at < now() - interval '1 minute'",
    [id],
  );
}
