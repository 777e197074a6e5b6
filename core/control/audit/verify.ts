import { type AuditFinding, type AuditProof, proveChain } from "@reeve/model/audit";
import { type Database, linksAfter, listHeads, readSealing, strayRecords } from "@reeve/store";
import type { Signer } from "./signer.ts";

const page = 500;
const mostStrays = 20;

/** Reads everything that is kept of an organization's audit, as of one moment, and proves it. */
export function verifyAudit(database: Database, signer: Signer, organization: string): Promise<AuditProof> {
  return database.transact(async (sql) => {
    // Records are sealed and removed meanwhile: all parts must be seen as of the same moment.
    await sql.query("set transaction isolation level repeatable read");
    const { revision: sealed } = await readSealing(sql);
    const heads = await listHeads(sql, organization);
    const proving = proveChain(organization, heads, { isGenuine: signer.isGenuine, toTheEnd: true });
    let after = 0;
    for (let full = true; full; ) {
      const links = await linksAfter(sql, organization, after, page);
      for (const link of links) proving.take(link);
      after = links.at(-1)?.revision ?? after;
      full = links.length === page;
    }
    const strays = await strayRecords(sql, organization, sealed, mostStrays);
    const added = strays.map(
      ({ revision }): AuditFinding => ({
        organization,
        revision,
        what: "added",
        why: "the record was never sealed",
      }),
    );
    const proof = proving.end();
    return { ...proof, findings: [...proof.findings, ...added] };
  });
}
