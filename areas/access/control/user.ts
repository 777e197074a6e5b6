import type { ActionHandler, Controller } from "@reeve/control";
import { allows, type Caller, Fault, type Subject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { endSessions, readSignIn, writePassword } from "../store/index.ts";
import { hashPassword, isPassword } from "./password-hash.ts";

/** `forget` is called when sessions were ended. */
export function userController(forget: () => void): Controller {
  return {
    kind: "User",
    letGo: notOneself,
    admit({ before, after, caller }) {
      if (before?.spec.disabled === false && after.spec.disabled === true) notOneself(after, caller);
      return after;
    },
    mine: { verbs: ["read", "set-password"], terms: oneself },
    actions: {
      async "set-password"(request, tools) {
        const plan = await setPassword(request, tools);
        return {
          ...plan,
          output() {
            forget();
            return plan.output();
          },
        };
      },
    },
  };
}

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
    output: () => ({ sessionsEnded: ended }),
  };
};
