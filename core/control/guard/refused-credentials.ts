import type { Origin } from "@reeve/model";
import type { Lane } from "@reeve/store";
import type { Credential } from "./identity.ts";
import { openLimiter, TooMany } from "./limiter.ts";

/** A flood of bad credentials must not fill the audit: so many a minute are recorded of one address, and of all. */
const perMinute = { ofOne: 10, ofAll: 60 };

export type RecordRefused = (origin: Origin, carried: Credential["carried"], why: string) => Promise<void>;

/** Records that a credential was turned away; never the credential. */
export function refusedCredentials(lane: Lane): RecordRefused {
  // Of its own: here nobody is refused, only not written down.
  const limiter = openLimiter();
  return async (origin, carried, why) => {
    try {
      limiter.count("of one", origin.address, perMinute.ofOne);
      limiter.count("of all", "", perMinute.ofAll);
    } catch (error) {
      if (error instanceof TooMany) return;
      throw error;
    }
    const at = { kind: "Credential", scope: "", name: carried };
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
