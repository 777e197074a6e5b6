import type { Tools } from "@reeve/control";
import type { Caller, Fault, Origin } from "@reeve/model";

/** Refuses somebody who could not prove to be this user, and records it. */
export async function denyUser(
  tools: Tools,
  { caller, origin }: { caller?: Caller; origin: Origin },
  { user, operation }: { user: string; operation: string },
  fault: Fault,
): Promise<never> {
  await tools.lane.submit({
    author: { caller, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ kind: "User", scope: "", name: user, operation, outcome: "denied" }],
      refusal: fault,
    }),
  });
  throw fault;
}
