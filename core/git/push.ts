import { createHmac, timingSafeEqual } from "node:crypto";

/** A request as it came, before anything was read into it. */
export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
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
  return isSignedWith(secret, body, hub ?? gitea) || isSignedWith(secret, secret, token);
}

/** Whether this is the text's HMAC-SHA256. Always computes one, so that the time taken tells nothing. */
export function isSignedWith(secret: string, text: string, given: string | undefined): given is string {
  const wanted = createHmac("sha256", secret).update(text).digest();
  const found = Buffer.from(given ?? "0".repeat(64), "hex");
  return timingSafeEqual(wanted, found) && given !== undefined && secret !== "";
}
