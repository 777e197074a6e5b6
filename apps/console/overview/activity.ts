import type { Run } from "@reeve/model";
import type { AuditRecord } from "@reeve/sdk";

/** Something that happened: a run, or a change that somebody made. */
export interface Activity {
  readonly key: string;
  readonly at: string;
  readonly run?: Run;
  readonly record?: AuditRecord;
}

const shownMost = 12;

/** Both together, newest first. Records of what is no kind, as of people who sign in, are for the audit. */
export function activityOf(
  runs: readonly Run[],
  records: readonly AuditRecord[],
  kinds: ReadonlySet<string>,
): readonly Activity[] {
  return [
    ...runs.map((run) => ({ key: run.id, at: run.createdAt, run })),
    ...records
      // The run that it began is here already.
      .filter(({ kind, operation }) => kinds.has(kind) && operation !== "trigger")
      .map((record) => ({ key: String(record.revision), at: record.at, record })),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, shownMost);
}
