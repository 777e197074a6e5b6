import type { JsonObject } from "@reeve/model";
import type { Sql } from "@reeve/store";

const ticketMinutes = 10;

/**
 * What a ticket is for: the second step of a sign-in, the answer of a passkey, the making of one, the way back from an identity
 * provider, what was proved there and is handed over; an invitation, a recovery.
 */
export type TicketUse =
  | "sign-in"
  | "passkey"
  | "new-passkey"
  | "oidc"
  | "handover"
  | "invitation"
  | "recovery";

export interface Ticket {
  readonly hash: Buffer;
  readonly userUid: string | null;
  readonly detail: JsonObject;
}

/** Returns when it stops working. */
export async function insertTicket(
  sql: Sql,
  use: TicketUse,
  ticket: Ticket,
  minutes = ticketMinutes,
): Promise<string> {
  const rows = await sql.query<{ expiresAt: string }>(
    `insert into ticket (hash, use, user_uid, detail, expires_at)
     values ($1, $2, $3::uuid, $4::jsonb, now() + $5 * interval '1 minute') returning expires_at as "expiresAt"`,
    [ticket.hash, use, ticket.userUid, JSON.stringify(ticket.detail), minutes],
  );
  return rows[0]?.expiresAt ?? "";
}

export async function findTicket(sql: Sql, use: TicketUse, hash: Buffer): Promise<Ticket | undefined> {
  const rows = await sql.query<Ticket>(
    `select hash, user_uid as "userUid", detail from ticket where hash = $1 and use = $2 and expires_at > now()`,
    [hash, use],
  );
  return rows[0];
}

/** A ticket works once; false when it was used meanwhile. */
export async function useTicket(sql: Sql, { hash }: Ticket): Promise<boolean> {
  return (await sql.query("delete from ticket where hash = $1 returning 1 as used", [hash])).length > 0;
}

/** What somebody has begun ends without its proof. */
export async function deleteTickets(sql: Sql, userUid: string): Promise<void> {
  await sql.query("delete from ticket where user_uid = $1::uuid", [userUid]);
}

/** The link of an invitation, in the place of the one before. */
export async function replaceInvitationTicket(
  sql: Sql,
  link: {
    readonly hash: Buffer;
    readonly uid: string;
    readonly generation: number;
    readonly expiresAt: string;
  },
): Promise<void> {
  await sql.query("delete from ticket where use = 'invitation' and detail ->> 'uid' = $1", [link.uid]);
  await sql.query(
    "insert into ticket (hash, use, user_uid, detail, expires_at) values ($1, 'invitation', null, $2::jsonb, $3::timestamptz)",
    [link.hash, JSON.stringify({ uid: link.uid, generation: link.generation }), link.expiresAt],
  );
}
