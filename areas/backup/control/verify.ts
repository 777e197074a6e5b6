import { isDeepStrictEqual } from "node:util";
import type { Database } from "@reeve/store";
import { type ChainEnd, NoScratch, readChainEnds, withScratch } from "../store/index.ts";
import { Damaged } from "./damaged.ts";
import { measured } from "./envelope.ts";
import { checkPart, type Refilling, refill } from "./refill.ts";

export interface Verdict {
  readonly good: boolean;
  readonly how: "Restored" | "DigestsCompared" | "Damaged";
  readonly words: string;
}

/**
 * Fetches a backup back. With an identity it is restored into a scratch database, and its rows are counted; without one only
 * the digests can be compared, and the verdict says so.
 */
export async function verifyBackup(database: Database, refilling: Refilling): Promise<Verdict> {
  try {
    if (refilling.identities.length === 0)
      return await compareDigests(refilling, "the server has no REEVE_BACKUP_IDENTITY");
    return await rehearse(database, refilling);
  } catch (error) {
    if (error instanceof Damaged) return { good: false, how: "Damaged", words: error.message };
    throw error;
  }
}

async function rehearse(database: Database, refilling: Refilling): Promise<Verdict> {
  const scratch = `reeve_verify_${refilling.manifest.backup.replaceAll("-", "")}`;
  try {
    await withScratch(database, scratch, async (connection) => {
      const target = await refill(connection, refilling);
      await target.commit();
      const [strayed] = strayedFrom(refilling.manifest.auditHeads, await readChainEnds(connection));
      if (strayed !== undefined)
        throw new Damaged(
          `the audit of ${strayed === "" ? "the installation" : strayed} does not end as the manifest says`,
        );
    });
    return { good: true, how: "Restored", words: "verified by restoring it" };
  } catch (error) {
    if (!(error instanceof NoScratch)) throw error;
    return compareDigests(refilling, "the database's user may not create databases");
  }
}

/** The organizations whose audit ends elsewhere than it should. */
function strayedFrom(told: readonly ChainEnd[], found: readonly ChainEnd[]): string[] {
  const organizations = new Set([...told, ...found].map(({ organization }) => organization));
  const endOf = (ends: readonly ChainEnd[], one: string) =>
    ends.find(({ organization }) => organization === one);
  return [...organizations].filter((one) => !isDeepStrictEqual(endOf(told, one), endOf(found, one)));
}

async function compareDigests({ storage, manifest, onProgress }: Refilling, why: string): Promise<Verdict> {
  for (const part of manifest.tables) {
    const words = `comparing the digest of ${part.name}`;
    const stored = await storage.get(part.part);
    if (stored === undefined) throw new Damaged(`the part ${part.part} is missing`);
    checkPart(part, await measured(stored, () => onProgress(words)));
  }
  return { good: true, how: "DigestsCompared", words: `only digests compared: ${why}` };
}
