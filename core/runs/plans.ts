import type { Sql } from "@reeve/store";
import { readGraphs } from "@reeve/store/runs";
import { makePlan, type Plan } from "./plan.ts";

/** Graphs by their digest, read once: they never change. The oldest goes when there are too many. */
export interface Plans {
  keep(plan: Plan): void;
  /** Those of these digests; all must be there. */
  load(sql: Sql, digests: readonly Buffer[]): Promise<(digest: Buffer) => Plan>;
}

const most = 500;

export function openPlans(): Plans {
  const known = new Map<string, Plan>();
  const keep = (plan: Plan) => {
    known.set(plan.digest.toString("hex"), plan);
    if (known.size > most) known.delete(known.keys().next().value as string);
  };
  return {
    keep,
    async load(sql, digests) {
      const loaded = new Map<string, Plan>();
      const missing = new Map<string, Buffer>();
      for (const digest of digests) {
        const hex = digest.toString("hex");
        const plan = known.get(hex);
        if (plan === undefined) missing.set(hex, digest);
        else loaded.set(hex, plan);
      }
      if (missing.size > 0)
        for (const { digest, graph } of await readGraphs(sql, [...missing.values()])) {
          const plan = makePlan(digest, graph);
          keep(plan);
          loaded.set(digest.toString("hex"), plan);
        }
      return (digest) => {
        const plan = loaded.get(digest.toString("hex"));
        if (plan === undefined) throw new Error("the graph of a run is missing");
        return plan;
      };
    },
  };
}
