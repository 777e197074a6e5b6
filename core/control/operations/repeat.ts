import { createHash } from "node:crypto";
import { narrowingOf } from "@reeve/model";
import type { Mutation } from "@reeve/store";
import type { Asking } from "../context.ts";

/**
 * What makes a request a repeat of an earlier one of its caller. With a credential that was made for less it is another request, so
 * that what its subject was answered elsewhere is not repeated to it, and is not done twice either.
 */
export function repeatOf({
  caller,
  idempotency,
}: {
  readonly caller: Asking["caller"];
  readonly idempotency?: Asking["idempotency"] | undefined;
}): Pick<Mutation, "idempotency"> {
  if (caller === undefined || idempotency === undefined) return {};
  const narrowed = narrowingOf(caller);
  const by =
    narrowed === undefined ? "" : ` by ${digest(JSON.stringify([narrowed.within, narrowed.allows]))}`;
  const { key, fingerprint } = idempotency;
  return { idempotency: { key, fingerprint: fingerprint + by, caller: caller.subject.uid } };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
