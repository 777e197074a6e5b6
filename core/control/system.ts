import type { Caller } from "@reeve/model";
import type { Author } from "@reeve/store";

/** What the control plane does by itself is done, and audited, in the name of the system. */
export const systemCaller: Caller = {
  subject: { kind: "System", scope: "", name: "reeve", uid: "system" },
  via: { kind: "system", id: "reconciler" },
  grants: [],
};

export function systemAuthor(reason: string): Author {
  return { caller: systemCaller, origin: { requestId: "", address: "" }, reason };
}
