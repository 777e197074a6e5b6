import type { Admission } from "@reeve/control";
import {
  contains,
  Fault,
  isNarrower,
  type Kind,
  type Narrowing,
  type Permission,
  type Scope,
  sameJson,
} from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { MadeFor } from "../store/index.ts";
import { meantBy } from "./meant.ts";

/** What a token leaves of its subject's rights; nothing is said where it leaves all. */
export function narrowingBy({ within, allows }: Partial<MadeFor>): Narrowing {
  return { ...(within == null ? {} : { within }), ...(allows == null ? {} : { allows }) };
}

export function narrowingOfToken({ spec, status }: Stored): Narrowing {
  return narrowingBy({ ...(spec as { within?: string }), ...(status as { allows?: Permission[] }) });
}

/**
 * The token with the permissions written into its status that it allows: what is added to Reeve later widens no token. Nobody widens
 * one by a change either: whoever has its secret would be given rights that nobody gave them.
 */
export function withNarrowing({ before, after }: Admission, kinds: readonly Kind[]): Stored {
  const words = after.spec.allows as string[] | undefined;
  const isSame = before !== undefined && sameJson(before.spec.allows ?? null, words ?? null);
  const { allows: was, ...status } = after.status;
  const allows = (isSame ? was : undefined) ?? (words && meantBy(words, kinds));
  const token = { ...after, status: { ...status, ...(allows === undefined ? {} : { allows }) } };
  if (before !== undefined && !isNarrower(narrowingOfToken(token), narrowingOfToken(before)))
    throw new Fault("precondition", "a token can be narrowed, but never widened", {
      next: "make a new token",
    });
  return token;
}

/** Why such a token could not, whatever its subject holds. */
export function barredBy(
  { within = "", allows }: Narrowing,
  permission: Permission,
  scope: Scope,
): string | undefined {
  if (!contains(within, scope)) return `this token reaches ${within} and what is below it, and nothing else`;
  if (allows?.includes(permission) ?? true) return undefined;
  return `this token was made for some permissions only, and ${permission} is none of them`;
}
