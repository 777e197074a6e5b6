import type { DiffLine } from "@reeve/model";

/** A line with its numbers on either side; the side it is not on has none. */
export interface Numbered extends DiffLine {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export function numbered(lines: readonly DiffLine[]): Numbered[] {
  let [before, after] = [0, 0];
  return lines.map((line) => ({
    ...line,
    before: line.sign === "+" ? undefined : ++before,
    after: line.sign === "-" ? undefined : ++after,
  }));
}

export interface Fold {
  /** The place of its first line, by which it is opened. */
  readonly first: number;
  readonly hidden: number;
}

/** Hides what stays the same, except for a few lines around each change and what somebody has opened. */
export function folded(
  lines: readonly Numbered[],
  open: ReadonlySet<number>,
  around = 3,
): (Numbered | Fold)[] {
  const changed = lines.flatMap((line, index) => (line.sign === " " ? [] : [index]));
  const near = new Set(
    changed.flatMap((index) => Array.from({ length: 2 * around + 1 }, (_, step) => index - around + step)),
  );
  const shown: (Numbered | Fold)[] = [];
  for (let index = 0; index < lines.length; index++) {
    let end = index;
    while (end < lines.length && !near.has(end)) end++;
    const hidden = end - index;
    // A fold of one line takes as much room as the line.
    if (hidden > 1 && !open.has(index)) shown.push({ first: index, hidden });
    else shown.push(...lines.slice(index, Math.max(end, index + 1)));
    index = Math.max(end - 1, index);
  }
  return shown;
}
