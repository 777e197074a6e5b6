import { type AuditProof, isSigned, type Proving, proveChain, type SignedHead } from "@reeve/model/audit";
import type { ExportedRecord } from "@reeve/sdk";

/** Proves exported records against heads that were kept elsewhere, believing nobody: every hash is made anew. */
export async function proveExport(
  records: AsyncIterable<ExportedRecord>,
  heads: readonly SignedHead[],
): Promise<AuditProof[]> {
  const known = Map.groupBy(heads, (head) => head.organization);
  const chains = new Map<string, Proving>();
  let oldest: string | undefined;
  // Records are newer than the newest head, until the next one is published.
  const begin = (organization: string, own: readonly SignedHead[]): Proving => {
    const chain = proveChain(organization, own, { isGenuine: isSigned, toTheEnd: false });
    chains.set(organization, chain);
    return chain;
  };
  for await (const { previous, hash, ...record } of records) {
    oldest ??= record.at;
    // The last second is not sealed yet.
    if (previous === null || hash === null) continue;
    const { organization, revision } = record;
    const chain = chains.get(organization) ?? begin(organization, known.get(organization) ?? []);
    chain.take({ revision, previous, hash, record });
  }
  // Whoever reads the installation's own chain reads all of them: one that is not there was removed, unless its time was over.
  if (chains.has(""))
    for (const [organization, own] of known)
      if (!chains.has(organization) && own.some((head) => head.at >= (oldest ?? "")))
        begin(
          organization,
          own.filter((head) => !head.checkpoint),
        );
  return [...chains.values()].map((chain) => chain.end());
}
