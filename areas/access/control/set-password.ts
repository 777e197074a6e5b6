import { type ActionHandler, staleness, type Tools } from "@reeve/control";
import { allows, type Caller, Fault, invalidField } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { deleteTickets, endSessions, readSignIn, writePassword } from "../store/index.ts";
import { beginAttempt, rightAttempt } from "./attempts.ts";
import { refuseAbove } from "./outrank.ts";
import { hashPassword, isPassword } from "./password-hash.ts";

/** One's own with the current one, or as an owner another's. Other sessions end, and sign-ins that are half done. */
export const setPassword: ActionHandler = async ({ resource, caller, input }, tools) => {
  const { password, current } = input as { password: string; current?: string };
  const { uid } = resource.metadata;
  const self = caller.subject.uid === uid;
  await (self ? checkCurrent(tools, caller, current) : checkRight(tools, caller, resource));
  const hash = await hashPassword(password);
  let ended = 0;
  return {
    also: async (sql) => {
      await writePassword(sql, uid, hash);
      await deleteTickets(sql, uid);
      ended = await endSessions(sql, uid, {
        except: self && caller.via.kind === "session" ? caller.via.id : null,
      });
    },
    events: [
      {
        tone: "normal",
        reason: "PasswordChanged",
        message: self ? "changed by the user" : "set by an owner; all sessions were ended",
      },
    ],
    output() {
      tools.forget([uid]);
      return { sessionsEnded: ended };
    },
  };
};

/** The current password is proof enough of oneself; whoever has only found an open session may not guess it for long. */
async function checkCurrent(
  tools: Tools,
  { subject, via }: Caller,
  current: string | undefined,
): Promise<void> {
  const attempt = { what: "password", user: subject.name, from: via.id } as const;
  await beginAttempt(tools, attempt);
  const row = await readSignIn(tools.database, subject.name);
  if (row?.hash == null || current === undefined || !(await isPassword(current, row.hash)))
    throw invalidField("/current", "the current password is missing or wrong", "give your current password");
  await rightAttempt(tools, attempt);
}

/** To set another's password takes over their account. */
async function checkRight(tools: Tools, caller: Caller, { metadata }: Stored): Promise<void> {
  if (!allows(caller.grants, "users:set-password", ""))
    throw new Fault("forbidden", "you can set only your own password");
  const fault = staleness(caller);
  if (fault !== undefined) throw fault;
  await refuseAbove(tools, caller, metadata);
}
