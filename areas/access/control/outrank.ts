import type { Tools } from "@reeve/control";
import { type Caller, Fault, firstMissing, type Narrowing, narrowGrants, showScope } from "@reeve/model";
import { readGrants } from "./identity.ts";

/**
 * Whoever can sign in as somebody holds what they hold, or what a credential leaves of it: that is refused to a caller who does not hold
 * it already.
 */
export async function refuseAbove(
  tools: Tools,
  caller: Caller,
  other: { readonly uid: string; readonly name: string },
  narrowing: Narrowing = {},
): Promise<void> {
  for (const { role, scope } of narrowGrants(await readGrants(tools, other.uid), narrowing)) {
    const missing = firstMissing(caller.grants, role.allows, scope);
    if (missing !== undefined)
      throw new Fault(
        "forbidden",
        `${other.name} holds ${missing} in ${showScope(scope)} and you do not, so you cannot act as it`,
        { next: "ask somebody who holds that role there" },
      );
  }
}
