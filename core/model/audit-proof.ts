import { type AuditLink, type AuditRecord, chainStart, linkHash } from "./audit-chain.ts";
import type { SignedHead } from "./audit-head.ts";

/** Something that cannot be, unless somebody has changed the audit behind Reeve's back. */
export interface AuditFinding {
  readonly organization: string;
  readonly revision: number;
  readonly what: "changed" | "removed" | "added" | "rewritten" | "forged";
  readonly why: string;
}

export interface AuditProof {
  readonly organization: string;
  readonly records: number;
  /** The time of the first record that is still kept, and the revision of the last. */
  readonly since: string | null;
  readonly upTo: number;
  readonly findings: readonly AuditFinding[];
}

/** A link with its record, which somebody may have taken away. */
export interface ProofLink extends AuditLink {
  readonly revision: number;
  readonly record: AuditRecord | undefined;
}

export interface Proving {
  /** The links of one organization, in the order of revisions. */
  take(link: ProofLink): void;
  end(): AuditProof;
}

export interface ProofTerms {
  /** Whether a head was signed by the right key. */
  readonly isGenuine: (head: SignedHead) => boolean;
  /** Whether the heads are all there are, so that the last record must be signed for. */
  readonly toTheEnd: boolean;
}

const mostFindings = 20;

/**
 * Proves the chain of one organization against its heads. It begins at its first
 * record, or where a checkpoint says that what came before is no longer kept.
 */
export function proveChain(
  organization: string,
  heads: readonly SignedHead[],
  { isGenuine, toTheEnd }: ProofTerms,
): Proving {
  const findings: AuditFinding[] = [];
  const found = (what: AuditFinding["what"], revision: number, why: string) => {
    if (findings.length < mostFindings) findings.push({ organization, revision, what, why });
  };
  for (const head of heads.filter((one) => !isGenuine(one)))
    found("forged", head.revision, "a head is not signed by Reeve's key");
  const genuine = heads.filter(isGenuine).sort((a, b) => a.revision - b.revision);
  const start = genuine.findLast((head) => head.checkpoint);
  // Older heads have nothing left to agree with.
  const ahead = genuine.filter((head) => head.revision > (start?.revision ?? 0));
  let at = { revision: start?.revision ?? 0, hashes: [start?.hash ?? chainStart] };
  let records = 0;
  let since: string | null = null;

  /** The heads up to this link. Only the first that disagrees is told: then all that follow do. */
  function meetHeads(revision: number, gap: boolean): void {
    while (ahead[0] !== undefined && ahead[0].revision <= revision) {
      const head = ahead.shift() as SignedHead;
      const agrees = head.revision === revision ? at.hashes.includes(head.hash) : gap;
      if (agrees) agreed = head.revision;
      else {
        found("rewritten", head.revision, `after revision ${agreed}, the chain is not what was signed here`);
        ahead.length = 0;
      }
    }
  }
  let agreed = at.revision;

  return {
    take({ revision, previous, hash, record }) {
      const gap = !at.hashes.includes(previous);
      const sealed = record && linkHash(previous, record);
      if (record === undefined) found("removed", revision, "the record was removed");
      else if (sealed !== hash || record.revision !== revision || record.organization !== organization)
        found("changed", revision, "the record is not as it was sealed");
      else if (gap)
        found("removed", revision, `records after revision ${at.revision} and before this one were removed`);
      records += record === undefined ? 0 : 1;
      since ??= record?.at ?? null;
      // Whether the record was changed or its hash, the next one still names the right one: one change, one finding.
      at = { revision, hashes: sealed === undefined ? [hash] : [hash, sealed] };
      meetHeads(revision, gap);
    },
    end() {
      const signed = ahead.at(-1);
      if (signed !== undefined)
        found(
          "removed",
          signed.revision,
          `records after revision ${at.revision} and up to this one were removed`,
        );
      else if (toTheEnd && findings.length === 0 && agreed < at.revision)
        found("forged", at.revision, `nothing after revision ${agreed} is signed`);
      return { organization, records, since, upTo: at.revision, findings };
    },
  };
}
