import { showScope } from "@reeve/model";
import type { AuditProof, SignedHead } from "@reeve/model/audit";
import type { ExportedRecord } from "@reeve/sdk";
import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import { proveExport } from "../audit/prove-export.ts";
import { readFileLines, readLines } from "../audit/read-lines.ts";
import type { CliDesk } from "../desk.ts";
import { exitCodes } from "../exit-codes.ts";

export const auditVerify = defineVerb<CliDesk>()({
  name: "audit verify",
  group: "read",
  summary: "Prove that no record was changed, removed or added; exit 1 when one was",
  options: {
    organization: text("NAME", "Only the chain of this organization"),
    heads: text("FILE", "Against these signed heads, with every hash made here", { completes: "file" }),
    from: text("FILE", "With --heads: records of this export instead of the server's", { completes: "file" }),
  },
  example: "reeve audit verify\nreeve audit verify --heads heads.jsonl --from audit.jsonl",
  async run(desk, { options }) {
    const { heads, from, organization } = options;
    if (from !== undefined && heads === undefined)
      throw new Usage("an export alone proves nothing", "give the signed heads as well: --heads FILE");
    const all =
      heads === undefined
        ? await (await desk.client()).audit.verify(organization)
        : await proveHere(desk, heads, from);
    const proofs = organization === undefined ? all : all.filter((one) => one.organization === organization);
    return show(desk, proofs);
  },
});

async function proveHere(desk: CliDesk, file: string, from: string | undefined): Promise<AuditProof[]> {
  const heads: SignedHead[] = [];
  for await (const head of readFileLines<SignedHead>(file)) heads.push(head);
  if (heads.length === 0) throw new Usage(`${file} holds no heads`);
  if (from !== undefined) return proveExport(readFileLines<ExportedRecord>(from), heads);
  const { audit } = await desk.client();
  const records = readLines<ExportedRecord>(audit.export({}, "jsonl"), "the server's export");
  // What was removed since the last head of the file, Reeve says itself; believed only with a key that the file knows.
  const keys = new Set(heads.map((head) => head.key));
  const checkpoints = (await audit.heads()).filter((head) => head.checkpoint && keys.has(head.key));
  return proveExport(records, [...heads, ...checkpoints]);
}

async function show(desk: CliDesk, proofs: readonly AuditProof[]): Promise<number> {
  const findings = proofs.flatMap((proof) => proof.findings);
  if (!(await desk.data({ intact: findings.length === 0, items: proofs }))) {
    desk.table(
      ["Chain", "Records", "Since", "Up to", "Proof"],
      proofs.map((proof) => [
        showScope(proof.organization),
        String(proof.records),
        proof.since ?? "-",
        String(proof.upTo),
        proof.findings.length === 0 ? "intact" : "BROKEN",
      ]),
    );
    for (const { organization, revision, what, why } of findings)
      desk.out(`${showScope(organization)}, revision ${revision}: ${what}: ${why}\n`);
  }
  return findings.length === 0 ? exitCodes.ok : exitCodes.no;
}
