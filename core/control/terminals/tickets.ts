import { createHash, randomBytes } from "node:crypto";
import { type Caller, Fault, type JsonObject, type Uid } from "@reeve/model";
import { type Address, type Sql, takeTicket, writeTicket } from "@reeve/store";

/** What a ticket opens: something on an agent's host that belongs to a resource, by a verb of its kind. */
export interface TicketFor {
  readonly at: Address;
  readonly uid: Uid;
  readonly verb: string;
  readonly host: string;
  readonly agent: string;
  readonly opens: string;
  readonly with: JsonObject;
}

/** From the action that gives it to the connection that uses it. */
const seconds = 60;

/** A terminal is opened by a ticket, once and soon, by whom it was given to: an address alone opens nothing. */
export function makeTicket(
  { subject }: Caller,
  what: TicketFor,
): { text: string; write: (sql: Sql) => Promise<void> } {
  const text = `reeve_t_${randomBytes(32).toString("base64url")}`;
  return {
    text,
    write: (sql) => writeTicket(sql, hashOf(text), subject.uid, what as unknown as JsonObject),
  };
}

export async function useTicket(sql: Sql, { subject }: Caller, text: string): Promise<TicketFor> {
  const ticket = await takeTicket(sql, hashOf(text), seconds);
  if (ticket === undefined || ticket.late || ticket.subject !== subject.uid)
    throw new Fault(
      "forbidden",
      "this ticket is not valid: it was used, is older than a minute, or is not yours",
      {
        next: "open the terminal again",
      },
    );
  return ticket.opens as unknown as TicketFor;
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
