import { type Scope, selfAndAncestors } from "@reeve/model";
import type { Address, Stored } from "@reeve/store";
import { type ConnectionReference, connectionField } from "../kinds/index.ts";

/** Where the Connection of a reference may be, nearest first. */
export function connectionPlaces({ name }: ConnectionReference, from: Scope): Address[] {
  return selfAndAncestors(from).map((scope) => ({ kind: "Connection", scope, name }));
}

/** Why a reference cannot be followed, in words. */
export function fieldTrouble(
  { name, field }: ConnectionReference,
  from: Scope,
  nearest: Stored | undefined,
): string | undefined {
  if (nearest === undefined || nearest.metadata.deletingAt !== undefined)
    return `there is no Connection ${name} in ${from || "the installation"} or above`;
  const value = connectionField(nearest.spec, field);
  return value === undefined ? `the Connection ${name} has no ${field}` : undefined;
}
