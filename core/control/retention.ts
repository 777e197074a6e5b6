import type { Database, RetentionRule } from "@reeve/store";
import type { Log } from "./controller.ts";
import type { Leases } from "./reconcile/leases.ts";

const everyMs = 60_000;
const batch = 2000;

/** Prunes what has been kept long enough, on the replica that holds the first bucket, a little at a time. */
export function startRetention(
  database: Database,
  leases: Leases,
  rules: readonly RetentionRule[],
  log: Log,
): () => void {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy || !leases.mine.includes(0)) return;
    busy = true;
    for (const rule of rules)
      try {
        const gone = await pruneAll(database, rule);
        if (gone > 0) log.info({ rule: rule.name, gone }, "pruned");
      } catch (error) {
        log.warn({ err: error, rule: rule.name }, "pruning failed; trying again in a minute");
      }
    busy = false;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** At most a hundred batches a turn, so that one rule cannot starve the others. */
async function pruneAll(database: Database, rule: RetentionRule): Promise<number> {
  let total = 0;
  for (let turn = 0; turn < 100; turn++) {
    const gone = await rule.prune(database, batch);
    total += gone;
    if (gone < batch) break;
  }
  return total;
}
