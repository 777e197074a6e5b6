import { allows, type Caller, grantedScopes, mayKnow, type Permission, type Scope } from "@reeve/model";
import type { Context } from "../context.ts";
import { forbidden, notFoundScope, unauthenticated } from "../guard/authorise.ts";
import type { Reader } from "./get.ts";
import { refuse } from "./mutate.ts";

/** The scopes at or below the one asked for in which the caller holds a permission; without one, all of them. */
export function scopesWith(
  caller: Caller | undefined,
  permission: Permission,
  scope: Scope | undefined,
): Scope[] {
  const grants = caller?.grants ?? [];
  if (scope !== undefined && allows(grants, permission, scope)) return [scope];
  return grantedScopes(grants, permission).filter((one) => !scope || one.startsWith(`${scope}/`));
}

/** What is read is no resource, but belongs to a scope: records, runs, agents. */
export interface Wanted {
  readonly operation: string;
  readonly permission: Permission;
  /** What the audit calls it when it is refused. */
  readonly kind: string;
  readonly scope: Scope | undefined;
}

/** The same, and a refusal that is recorded when there are none. */
export async function heldScopes(
  context: Context,
  reader: Reader,
  { operation, permission, kind, scope }: Wanted,
): Promise<Scope[]> {
  const held = scopesWith(reader.caller, permission, scope);
  if (held.length > 0) return held;
  const wanted = scope ?? "";
  const known = wanted === "" || mayKnow(reader.caller?.grants ?? [], wanted);
  const fault =
    reader.caller === undefined
      ? unauthenticated()
      : known
        ? forbidden(permission, wanted)
        : notFoundScope(wanted);
  return refuse(context, reader, operation, { kind, scope: wanted, name: "" }, fault);
}
