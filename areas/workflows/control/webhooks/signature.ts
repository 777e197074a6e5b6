import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookSpec } from "../../kinds/index.ts";

/** A sender's clock may be so far off, and a request so long under way. */
export const windowMs = 5 * 60_000;

export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

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
    return same(secret, body, given) ? { valid: true, signature: given } : { valid: false, why: "wrong" };
  }
  const [, time, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(headers["reeve-signature"] ?? "") ?? [];
  if (!same(secret, `${time}.${body}`, given)) return { valid: false, why: "wrong" };
  const offMs = Math.abs(now - Number(time) * 1000);
  return offMs <= windowMs ? { valid: true, signature: given } : { valid: false, why: "old" };
}

/**
 * Whether a Git server that knows the secret has sent this: GitHub signs in `X-Hub-Signature-256`, Gitea and Forgejo in
 * `X-Gitea-Signature`, both HMAC-SHA256 over the body; GitLab sends the secret itself, in `X-Gitlab-Token`.
 */
export function isFromGitServer(secret: string, { body, headers }: SignedRequest): boolean {
  const hub = /^sha256=([0-9a-f]{64})$/.exec(headers["x-hub-signature-256"] ?? "")?.[1];
  const gitea = /^[0-9a-f]{64}$/.exec(headers["x-gitea-signature"] ?? "")?.[0];
  const token = createHmac("sha256", secret)
    .update(headers["x-gitlab-token"] ?? "")
    .digest("hex");
  // Both as digests, so that nothing is learnt from how long it takes, not even a length.
  return same(secret, body, hub ?? gitea) || same(secret, secret, token);
}

function same(secret: string, text: string, given: string | undefined): given is string {
  const wanted = createHmac("sha256", secret).update(text).digest();
  const found = Buffer.from(given ?? "0".repeat(64), "hex");
  return timingSafeEqual(wanted, found) && given !== undefined && secret !== "";
}
