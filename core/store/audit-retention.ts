import type { SignedHead } from "@reeve/model/audit";
import { type HeadRow, insertHeads } from "./audit-chain.ts";
import type { Sql } from "./sql.ts";

/**
 * The published heads up to which records have had their time, oldest first, with something left to remove before each. One
 * for each organization, the newest.
 */
export function dueHeads(sql: Sql, days: number, limit: number): Promise<HeadRow[]> {
  return sql.query<HeadRow>(
    `select distinct on (organization) organization, revision, at, encode(hash, 'hex') as hash, checkpoint, key, signature,
       published_at as "publishedAt"
     from (
       select h.* from audit_head h
       where h.at < now() - $1 * interval '1 day' and h.published_at is not null and exists (
         select 1 from audit_chain c where c.organization = h.organization and c.revision <= h.revision)
       order by h.at limit $2) as due
     order by organization, revision desc`,
    [days, limit],
  );
}

/** Removes everything up to a checkpoint and leaves the checkpoint; returns how many records went. For one transaction. */
export async function removeUpTo(sql: Sql, checkpoint: SignedHead): Promise<number> {
  const place = [checkpoint.organization, checkpoint.revision];
  const upTo = "where organization = $1 and revision <= $2";
  const gone = await sql.query(`delete from audit ${upTo} returning 1 as gone`, place);
  await sql.query(`delete from audit_chain ${upTo}`, place);
  await sql.query(`delete from audit_head ${upTo}`, place);
  await insertHeads(sql, [checkpoint]);
  return gone.length;
}

/** Of an organization that is gone, the checkpoint goes as well once it is all that is left: names are anybody's to invent. */
export async function forgetChains(sql: Sql, days: number): Promise<void> {
  await sql.query(
    `delete from audit_head h where h.checkpoint and h.organization <> '' and h.at < now() - $1 * interval '1 day'
       and not exists (select 1 from audit_chain c where c.organization = h.organization)
       and not exists (select 1 from resource r where r.kind = 'Organization' and r.scope = '' and r.name = h.organization)`,
    [days],
  );
}
