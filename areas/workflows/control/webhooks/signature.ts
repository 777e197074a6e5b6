import { isSignedWith, type SignedRequest } from "@reeve/git";
import type { WebhookSpec } from "../../kinds/index.ts";

/** A sender's clock may be so far off, and a request so long under way. */
export const windowMs = 5 * 60_000;

export type SignatureVerdict =
  | { readonly valid: true; readonly signature: string }
  | { readonly valid: false; readonly why: "wrong" | "old" };

/**
 * `Reeve-Signature: t=1763200000,v1=<hex>` is HMAC-SHA256 over `t.body`, `X-Hub-Signature-256: sha256=<hex>` over the body alone.
 * Always computes one, so that the time taken tells nothing.
 */
export function checkSignature(
  format: WebhookSpec["signature"],
  secret: string,
  { body, headers }: SignedRequest,
  now: number,
): SignatureVerdict {
  if (format === "github") {
    const given = /^sha256=([0-9a-f]{64})$/.exec(headers["x-hub-signature-256"] ?? "")?.[1];
    return isSignedWith(secret, body, given)
      ? { valid: true, signature: given }
      : { valid: false, why: "wrong" };
  }
  const [, time, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(headers["reeve-signature"] ?? "") ?? [];
  if (!isSignedWith(secret, `${time}.${body}`, given)) return { valid: false, why: "wrong" };
  const offMs = Math.abs(now - Number(time) * 1000);
  return offMs <= windowMs ? { valid: true, signature: given } : { valid: false, why: "old" };
}
