import type { Keys } from "@reeve/keys";
import { type Database, hasUnsealed, type RetentionRule } from "@reeve/store";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";
import { auditRetention } from "./prune.ts";
import { type HeadsOut, publishHeads } from "./publish.ts";
import { sealNext } from "./seal.ts";
import { openSigner, type Signer } from "./signer.ts";

/** Looks after the audit: the replica that holds the first bucket seals what was committed, and hands signed heads out. */
export interface AuditKeeper {
  readonly signer: () => Promise<Signer>;
  readonly retention: (days: number) => RetentionRule;
  /** Begins; what is returned ends it. */
  start(leases: Leases): () => Promise<void>;
}

const sealMs = 1000;
const publishMs = 60_000;

export function openAuditKeeper(database: Database, keys: Keys, out: HeadsOut, log: Log): AuditKeeper {
  let opening: Promise<Signer> | undefined;
  let publishedAt = Number.NEGATIVE_INFINITY;

  function signer(): Promise<Signer> {
    opening ??= openSigner(database, keys);
    // A failure is not worth keeping.
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  async function turn(isMine: () => boolean): Promise<void> {
    if (await hasUnsealed(database)) {
      const own = await signer();
      while (isMine() && (await sealNext(database, own)));
    }
    if (performance.now() - publishedAt < publishMs) return;
    publishedAt = performance.now();
    // With nothing to hand out, the next head need not wait.
    if (!(await publishHeads(database, out))) publishedAt = Number.NEGATIVE_INFINITY;
  }

  return {
    signer,
    retention: (days) => auditRetention(database, signer, days),
    start(leases) {
      const isMine = () => leases.mine.includes(0);
      let turning: Promise<void> | undefined;
      const timer = setInterval(() => {
        if (turning !== undefined || !isMine()) return;
        turning = turn(isMine)
          .catch((error: unknown) =>
            log.warn({ err: error }, "the audit could not be sealed or its heads published; trying again"),
          )
          .finally(() => {
            turning = undefined;
          });
      }, sealMs);
      timer.unref();
      return async () => {
        clearInterval(timer);
        await turning;
      };
    },
  };
}
