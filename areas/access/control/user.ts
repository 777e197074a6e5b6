import type { Controller } from "@reeve/control";
import { type Caller, Fault, type Subject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import { endAllSessions, resetFactors } from "./reset-user.ts";
import { setPassword } from "./set-password.ts";

export const userController: Controller = {
  kind: "User",
  letGo: notOneself,
  admit({ before, after, caller }) {
    if (before?.spec.disabled === false && after.spec.disabled === true) notOneself(after, caller);
    return after;
  },
  mine: { verbs: ["read", "set-password"], terms: oneself },
  actions: {
    "set-password": setPassword,
    "end-sessions": endAllSessions,
    "reset-factors": resetFactors,
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
