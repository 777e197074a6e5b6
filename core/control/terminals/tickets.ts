import { createHash, randomBytes } from "node:crypto";
import { type Caller, Fault, type JsonObject, newUid, scopeParts, type Uid } from "@reeve/model";
import { type Address, organizationRecords, type Sql, takeTicket, writeTicket } from "@reeve/store";
import type { ActionPlan, Tools } from "../controller.ts";

/** What a ticket opens: something on an agent's host that belongs to a resource, by a verb of its kind. */
export interface TicketFor {
  readonly at: Address;
  readonly uid: Uid;
  readonly verb: string;
  readonly host: string;
  readonly agent: string;
  readonly opens: string;
  readonly with: JsonObject;
  /** What was asked for, as it is told to the audit. */
  readonly asked: JsonObject;
  /** The id of its recording, where what it shows has to be recorded. */
  readonly recording?: string;
}

/** From the action that gives it to the connection that uses it. */
const seconds = 60;

/** A terminal is opened by a ticket, once and soon, by whom it was given to: an address alone opens nothing. */
export async function giveTicket(
  tools: Tools,
  { subject }: Caller,
  what: Omit<TicketFor, "recording">,
): Promise<ActionPlan> {
  const text = `reeve_t_${randomBytes(32).toString("base64url")}`;
  const { host, asked } = what;
  const recording = (await mustRecord(tools, what.at.scope)) ? { recording: newUid() } : {};
  const opens = { ...what, ...recording } as unknown as JsonObject;
  return {
    also: (sql) => writeTicket(sql, hashOf(text), subject.uid, opens),
    detail: { host, ...asked, ...recording },
    output: () => ({ ticket: text, host, recorded: "recording" in recording }),
  };
}

/** What belongs to an organization is recorded when that wants it; whoever runs the server may want it for everything. */
async function mustRecord({ database, recordTerminals }: Tools, scope: string): Promise<boolean> {
  const [organization] = scopeParts(scope);
  return recordTerminals || (organization !== undefined && organizationRecords(database, organization));
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
