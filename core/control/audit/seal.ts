import { chainStart, linkHash } from "@reeve/model/audit";
import {
  auditAfter,
  type ChainLink,
  type Database,
  deleteHeads,
  insertHeads,
  insertLinks,
  lockSealing,
  moveSealing,
  newestHeads,
} from "@reeve/store";
import type { Signer } from "./signer.ts";

/** Hashing so many takes a few milliseconds, in which nobody else is served. */
const batch = 500;

/**
 * Puts the next records into the chains of their organizations, in commit order, and signs where each chain ends now. Returns
 * whether there may be more. Nothing of it is in the way of the lane: it reads what is committed and writes tables of its own.
 */
export function sealNext(database: Database, signer: Signer): Promise<boolean> {
  return database.transact(async (sql) => {
    const records = await auditAfter(sql, await lockSealing(sql), batch);
    const last = records.at(-1);
    if (last === undefined) return false;
    const organizations = [...new Set(records.map((record) => record.organization))];
    const before = await newestHeads(sql, organizations);
    const ends = new Map(before.map((head) => [head.organization, head.hash]));
    const links = records.map((record): ChainLink => {
      const { organization, revision } = record;
      const previous = ends.get(organization) ?? chainStart;
      const hash = linkHash(previous, record);
      ends.set(organization, hash);
      return { organization, revision, previous, hash };
    });
    const heads = organizations.map((organization) => {
      const { revision, at } = records.findLast((record) => record.organization === organization) ?? last;
      const hash = ends.get(organization) ?? chainStart;
      return signer.sign({ organization, revision, at, hash, checkpoint: false });
    });
    await insertLinks(sql, links);
    await deleteHeads(
      sql,
      before.filter((head) => head.publishedAt === null && !head.checkpoint),
    );
    await insertHeads(sql, heads);
    await moveSealing(sql, last.revision);
    return records.length === batch;
  });
}
