import type { Executor } from "@reeve/agent";

/** Does nothing, inside the agent: for tests, benchmarks, and steps that only join others. */
export const noop: Executor = {
  name: "noop",
  available: async () => true,
  prepare: async () => ({ does: "inside", run: async () => ({ outcome: "succeeded", why: "" }) }),
};
