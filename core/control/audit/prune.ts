import { type Database, dueHeads, forgetChains, type RetentionRule, removeUpTo } from "@reeve/store";
import type { Signer } from "./signer.ts";

/** There is at most one published head a minute, so these are at most so many minutes of records. */
const headsAtOnce = 10;

/** Removes records that have had their time, up to a head, and signs a checkpoint in its place: the rest stays provable. */
export function auditRetention(
  database: Database,
  signer: () => Promise<Signer>,
  days: number,
): RetentionRule {
  return {
    name: "audit",
    async prune(_sql, limit) {
      const due = await dueHeads(database, days, headsAtOnce);
      if (due.length === 0) {
        await forgetChains(database, days);
        return 0;
      }
      const { sign } = await signer();
      for (const { organization, revision, at, hash } of due) {
        const checkpoint = sign({ organization, revision, at, hash, checkpoint: true });
        await database.transact((sql) => removeUpTo(sql, checkpoint));
      }
      // There may be more: asked again, we say so.
      return limit;
    },
  };
}
