import { type ActionHandler, type Controller, staleness } from "@reeve/control";
import { allows, type Caller, Fault, type Subject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { endSessions, readSignIn, writePassword } from "../store/index.ts";
import { hashPassword, isPassword } from "./password-hash.ts";

export const userController: Controller = {
  kind: "User",
  letGo: notOneself,
  admit({ before, after, caller }) {
    if (before?.spec.disabled === false && after.spec.disabled === true) notOneself(after, caller);
    return after;
  },
  mine: { verbs: ["read", "set-password"], terms: oneself },
  actions: {
    "set-password": (request, tools) => setPassword(request, tools),
    "end-sessions": (request, tools) => endAllSessions(request, tools),
  },
};

/** Whoever locks themselves out may be the last who could have let them in again. */
function notOneself(user: Stored, caller: Caller): void {
  if (user.metadata.uid !== caller.subject.uid) return;
  throw new Fault("precondition", "you cannot delete or disable yourself", {
    next: "let another owner do it",
  });
}

function oneself(subject: Subject) {
  return [
    { key: "metadata.name", test: "in" as const, values: subject.kind === "User" ? [subject.name] : [] },
  ];
}

const setPassword: ActionHandler = async ({ resource, caller, input }, tools) => {
  const { password, current } = input as { password: string; current?: string };
  const { uid, name } = resource.metadata;
  const self = caller.subject.uid === uid;
  if (self) {
    const row = await readSignIn(tools.database, name);
    const right = row?.hash != null && current !== undefined && (await isPassword(current, row.hash));
    if (!right)
      throw new Fault("invalid", "/current: the current password is missing or wrong", {
        errors: [{ pointer: "/current", message: "give your current password" }],
      });
  } else if (!allows(caller.grants, "users:set-password", ""))
    throw new Fault("forbidden", "you can set only your own password");
  else refuseStale(caller);
  const hash = await hashPassword(password);
  let ended = 0;
  return {
    also: async (sql) => {
      await writePassword(sql, uid, hash);
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

/** One's own password is proof enough of oneself; to set another's takes over their account. */
function refuseStale(caller: Caller): void {
  const fault = staleness(caller);
  if (fault !== undefined) throw fault;
}

const endAllSessions: ActionHandler = async ({ resource: { metadata } }, tools) => {
  let ended = 0;
  return {
    also: async (sql) => {
      ended = await endSessions(sql, metadata.uid, { except: null });
    },
    events: [{ tone: "normal", reason: "SessionsEnded", message: "all sessions were ended by an owner" }],
    output() {
      tools.forget([metadata.uid]);
      return { sessionsEnded: ended };
    },
  };
};
