import type { Log } from "@reeve/control";

const everyMs = 10_000;
const forgetMs = 60_000;

/**
 * Tells a trouble of the database when it begins, how it goes on every ten seconds, and its end. Every request and every
 * loop tries many times: a line for each would bury what else the log has to say.
 */
export function troubleLog(log: Log, now: () => number = Date.now) {
  const troubles = new Map<string, { toldAt: number; seenAt: number; untold: number }>();
  return {
    onTrouble(trouble: string, error: unknown): void {
      // Two writers met; the second simply goes again.
      if (trouble === "again") return void log.debug({ err: error }, "a transaction is run again");
      const known = troubles.get(trouble);
      if (known === undefined || now() - known.seenAt > forgetMs) {
        troubles.set(trouble, { toldAt: now(), seenAt: now(), untold: 0 });
        return void log.warn({ trouble, err: error }, "the database is in trouble");
      }
      known.untold++;
      known.seenAt = now();
      if (now() - known.toldAt < everyMs) return;
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ trouble, tries: known.untold, why }, "the database is still in trouble");
      known.toldAt = now();
      known.untold = 0;
    },
    onRecovery(awayMs: number): void {
      troubles.clear();
      log.warn({ awaySeconds: Math.round(awayMs / 100) / 10 }, "the database is back");
    },
  };
}
