import type { Database } from "@reeve/store";
import { extendLeases, heldSteps, loseAgent, overdueAgents, suspectAgents } from "@reeve/store/runs";
import { attemptLost } from "./attempt-ended.ts";
import { lockBoth } from "./finish.ts";
import type { Plans } from "./plans.ts";
import { openTurn, type Wrote, writeTurn } from "./turn.ts";

/** Not having looked for so long, we cannot know who was silent and who could not be heard. */
const blindMs = 5000;

export interface Expiry {
  /** Takes the leases that have run out. Called about every second. */
  sweep(onWrote: (wrote: Wrote) => void): Promise<string[]>;
  /** Beats could not be recorded for a while: the next sweep extends first. */
  blinded(): void;
}

/** Only time in which heartbeats could be recorded counts against an agent. */
export function openExpiry(database: Database, plans: Plans, leaseMs: number): Expiry {
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    blinded() {
      lookedMs = Number.NEGATIVE_INFINITY;
    },
    async sweep(onWrote) {
      if (performance.now() - lookedMs > blindMs) await extendLeases(database, leaseMs);
      const begunMs = performance.now();
      await suspectAgents(database, leaseMs);
      const lost: string[] = [];
      for (const uid of await overdueAgents(database)) {
        // It took so long to get here that those who wait behind us may have been heard meanwhile, and not recorded.
        if (performance.now() - begunMs > blindMs) break;
        const wrote = await database.transact(async (sql) => {
          if (!(await loseAgent(sql, uid))) return undefined;
          const seen = await heldSteps(sql, uid);
          const turn = openTurn();
          if (seen.length > 0) {
            const [runs, steps] = await lockBoth(sql, seen, plans);
            for (const step of steps.values()) {
              const run = runs.get(step.run);
              if (run && step.agent === uid && (step.state === "offered" || step.state === "running"))
                attemptLost(turn, run, step, "its agent was lost");
            }
          }
          return writeTurn(sql, turn);
        });
        if (wrote === undefined) continue;
        lost.push(uid);
        onWrote(wrote);
      }
      lookedMs = performance.now();
      return lost;
    },
  };
}
