import { type AuditHead, chainStart, linkHash } from "@reeve/model/audit";
import {
  auditAfter,
  type ChainLink,
  type Database,
  deleteHeads,
  type HeadRow,
  insertHeads,
  insertLinks,
  lockSealing,
  moveSealing,
  newestHeads,
  type Sql,
} from "@reeve/store";
import type { Signer } from "./signer.ts";

/** At most so many in a transaction. */
const batch = 2000;
/**
 * Records are read so few at a time because callers are served meanwhile: hashing them takes less than a millisecond, and they are
 * done with before the collector comes by, which would have to keep them.
 */
const handful = 100;

/**
 * Puts the next records into the chains of their organizations, in commit order, and signs where each chain ends now. Returns
 * whether there may be more. Nothing of it is in the way of the lane: it reads what is committed and writes tables of its own.
 */
export function sealNext(database: Database, signer: Signer): Promise<boolean> {
  return database.transact(async (sql) => {
    const { links, ends, before } = await nextLinks(sql, await lockSealing(sql));
    const last = links.at(-1);
    if (last === undefined) return false;
    const replaced = before.filter((head) => head.publishedAt === null && !head.checkpoint);
    // Sent together, carried out in this order.
    await Promise.all([
      insertLinks(sql, links),
      deleteHeads(sql, replaced),
      insertHeads(sql, ends.map(signer.sign)),
      moveSealing(sql, last.revision),
    ]);
    return links.length === batch;
  });
}

interface NextLinks {
  readonly links: readonly ChainLink[];
  /** Where the chains that grew end now, and where they ended before. */
  readonly ends: readonly AuditHead[];
  readonly before: readonly HeadRow[];
}

async function nextLinks(sql: Sql, sealed: number): Promise<NextLinks> {
  const links: ChainLink[] = [];
  const ends = new Map<string, AuditHead>();
  const before: HeadRow[] = [];
  for (let more = true; more && links.length < batch; ) {
    const records = await auditAfter(sql, links.at(-1)?.revision ?? sealed, handful);
    const met = new Set(records.map(({ organization }) => organization).filter((one) => !ends.has(one)));
    if (met.size > 0) {
      const heads = await newestHeads(sql, [...met]);
      before.push(...heads);
      for (const head of heads) ends.set(head.organization, head);
    }
    for (const record of records) {
      const { organization, revision, at } = record;
      const previous = ends.get(organization)?.hash ?? chainStart;
      const hash = linkHash(previous, record);
      ends.set(organization, { organization, revision, at, hash, checkpoint: false });
      links.push({ organization, revision, previous, hash });
    }
    more = records.length === handful;
  }
  return { links, ends: [...ends.values()], before };
}
