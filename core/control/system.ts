import type { Caller } from "@reeve/model";
import type { Author } from "@reeve/store";
import type { Asking, Context } from "./context.ts";

/** What the control plane does by itself is done, and audited, in the name of the system. */
const systemCaller: Caller = {
  subject: { kind: "System", scope: "", name: "reeve", uid: "system" },
  via: { kind: "system", id: "reconciler" },
  grants: [],
};

export function systemAuthor(reason: string): Author {
  return { caller: systemCaller, origin: { requestId: "", address: "" }, reason };
}

/** For operations: the system may do everything, and goes through the same check as everybody. */
export function systemAsking({ roles }: Pick<Context, "roles">, reason: string): Asking {
  const { origin } = systemAuthor(reason);
  const grants = roles.owner === undefined ? [] : [{ scope: "", role: roles.owner, binding: "system" }];
  return { caller: { ...systemCaller, grants }, origin, reason, dryRun: false };
}
