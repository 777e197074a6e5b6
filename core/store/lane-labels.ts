import type { BatchRows } from "./lane-batch.ts";
import type { Stored } from "./resource-row.ts";

export interface LabelRow {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
  readonly scope: string;
  readonly name: string;
  readonly uid: string;
}

/** How `resource_label` must change so that it says what the rows of a batch say. Most writes change no label. */
export function labelChanges(
  locked: readonly Stored[],
  rows: BatchRows,
): { added: LabelRow[]; removed: LabelRow[] } {
  const before = new Map(locked.map((stored) => [stored.metadata.uid, stored]));
  const added: LabelRow[] = [];
  const removed: LabelRow[] = [];
  for (const stored of rows.created.values()) added.push(...labelsOf(stored));
  for (const uid of rows.deleted.keys()) removed.push(...labelsOf(before.get(uid) as Stored));
  for (const [uid, stored] of rows.updated) {
    const was = before.get(uid) as Stored;
    added.push(...labelsOf(stored).filter(({ key, value }) => was.metadata.labels[key] !== value));
    removed.push(...labelsOf(was).filter(({ key, value }) => stored.metadata.labels[key] !== value));
  }
  return { added, removed };
}

function labelsOf({ kind, metadata: { scope, name, uid, labels } }: Stored): LabelRow[] {
  return Object.entries(labels).map(([key, value]) => ({ kind, key, value, scope, name, uid }));
}
