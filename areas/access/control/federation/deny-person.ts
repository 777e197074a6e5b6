import type { Tools } from "@reeve/control";
import type { Fault, Origin } from "@reeve/model";

interface Denied {
  readonly provider: string;
  readonly why: string;
  readonly origin: Origin;
}

/** Refuses somebody who came by a provider, and records why. */
export async function denyPerson(
  tools: Tools,
  { provider, why, origin }: Denied,
  fault: Fault,
): Promise<never> {
  const at = { kind: "IdentityProvider", scope: "", name: provider };
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ ...at, operation: "sign-in", outcome: "denied", detail: { why } }],
      refusal: fault,
    }),
  });
  throw fault;
}
