import type { Tools } from "@reeve/control";
import { type Caller, Fault, firstMissing, showScope } from "@reeve/model";
import { readGrants } from "./identity.ts";

/** Whoever can sign in as somebody holds what they hold: that is refused to a caller who does not hold it already. */
export async function refuseAbove(
  tools: Tools,
  caller: Caller,
  other: { readonly uid: string; readonly name: string },
): Promise<void> {
  for (const { role, scope } of await readGrants(tools, other.uid)) {
    const missing = firstMissing(caller.grants, role.allows, scope);
    if (missing !== undefined)
      throw new Fault(
        "forbidden",
        `${other.name} holds ${missing} in ${showScope(scope)} and you do not, so you cannot act as it`,
        { next: "ask somebody who holds that role there" },
      );
  }
}
