import type { Sql } from "@reeve/store";

export interface NewSession {
  readonly id: string;
  readonly hash: Buffer;
  readonly userUid: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly agent: string;
}

export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql.query(
    "insert into session (id, hash, user_uid, expires_at, address, agent) values ($1::uuid, $2, $3::uuid, $4::timestamptz, $5, $6)",
    [
      session.id,
      session.hash,
      session.userUid,
      session.expiresAt,
      session.address,
      session.agent.slice(0, 200),
    ],
  );
}

export interface SessionRow {
  readonly id: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly agent: string;
}

export function listSessions(sql: Sql, userUid: string): Promise<SessionRow[]> {
  return sql.query<SessionRow>(
    `select id, created_at as "createdAt", seen_at as "seenAt", expires_at as "expiresAt", address, agent
     from session where user_uid = $1::uuid and expires_at > now() order by seen_at desc`,
    [userUid],
  );
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
