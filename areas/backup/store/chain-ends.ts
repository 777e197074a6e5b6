import type { AuditHead } from "@reeve/model/audit";
import { auditedOrganizations, newestHeads, type Sql } from "@reeve/store";

/** The end of an organization's audit chain: who has the same end has the same records before it. */
export type ChainEnd = Pick<AuditHead, "organization" | "revision" | "hash">;

export async function readChainEnds(sql: Sql): Promise<ChainEnd[]> {
  const heads = await newestHeads(sql, await auditedOrganizations(sql));
  return heads
    .map(({ organization, revision, hash }) => ({ organization, revision, hash }))
    .sort((a, b) => (a.organization < b.organization ? -1 : 1));
}
