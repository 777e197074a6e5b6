import type { Origin } from "@reeve/model";
import type { Lane } from "@reeve/store";
import { openLimiter, TooMany } from "./limiter.ts";

/** A flood of bad credentials must not fill the audit: so many a minute are recorded of one address, and of all. */
const perMinute = { ofOne: 10, ofAll: 60 };

/** `what` was shown: a bearer token, a cookie, an agent's identity, a join token. */
export type RecordRefused = (origin: Origin, what: string, why: string) => Promise<void>;

/** Records that a credential was turned away; never the credential. */
export function refusedCredentials(lane: Lane): RecordRefused {
  // Of its own: here nobody is refused, only not written down.
  const limiter = openLimiter();
  return async (origin, what, why) => {
    try {
      limiter.count("of one", origin.address, perMinute.ofOne);
      limiter.count("of all", "", perMinute.ofAll);
    } catch (error) {
      if (error instanceof TooMany) return;
      throw error;
    }
    const at = { kind: "Credential", scope: "", name: what };
    await lane.submit({
      author: { caller: undefined, origin, reason: "" },
      needs: [],
      decide: () => ({
        writes: [],
        audit: [{ ...at, operation: "authenticate", outcome: "denied", detail: { why } }],
      }),
    });
  };
}
