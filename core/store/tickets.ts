import type { JsonObject } from "@reeve/model";
import type { Sql } from "./sql.ts";

export interface Ticket {
  readonly subject: string;
  readonly opens: JsonObject;
  /** It was made too long ago. */
  readonly late: boolean;
}

export async function writeTicket(sql: Sql, hash: Buffer, subject: string, opens: JsonObject): Promise<void> {
  await sql.query("insert into terminal_ticket (hash, subject_uid, opens) values ($1, $2::uuid, $3::jsonb)", [
    hash,
    subject,
    JSON.stringify(opens),
  ]);
}

/** Whoever shows a ticket has used it up, also when it is not theirs. */
export async function takeTicket(sql: Sql, hash: Buffer, seconds: number): Promise<Ticket | undefined> {
  const rows = await sql.query<Ticket>(
    `delete from terminal_ticket where hash = $1
     returning subject_uid as subject, opens, at < now() - $2 * interval '1 second' as late`,
    [hash, seconds],
  );
  return rows[0];
}
