export interface Keep {
  readonly daily: number;
  readonly weekly: number;
}

export interface Candidate {
  readonly name: string;
  readonly takenAt: string;
  /** It was verified, and found good. */
  readonly good: boolean;
}

const dayMs = 86_400_000;

/**
 * Which backups stay: of the newest days and weeks that have a good one, its last; whatever is not a day old yet; and whatever is
 * newer than the newest good one. So the last good one stays for ever, and nothing goes before something better is there.
 */
export function kept(all: readonly Candidate[], keep: Keep, now: number): Set<string> {
  const newestFirst = [...all].sort((a, b) => Date.parse(b.takenAt) - Date.parse(a.takenAt));
  const good = newestFirst.filter((one) => one.good);
  const newest = good[0];
  if (newest === undefined) return new Set(all.map((one) => one.name));
  const young = (one: Candidate) =>
    Date.parse(one.takenAt) > now - dayMs || Date.parse(one.takenAt) >= Date.parse(newest.takenAt);
  return new Set(
    [
      ...newestFirst.filter(young),
      ...lastOfEach(good, keep.daily, (at) => Math.floor(at / dayMs)),
      // Weeks begin on Monday; the first of January 1970 was a Thursday.
      ...lastOfEach(good, keep.weekly, (at) => Math.floor((at / dayMs + 3) / 7)),
    ].map((one) => one.name),
  );
}

function lastOfEach(
  newestFirst: readonly Candidate[],
  count: number,
  spanOf: (at: number) => number,
): Candidate[] {
  const last = new Map<number, Candidate>();
  for (const one of newestFirst) {
    const span = spanOf(Date.parse(one.takenAt));
    if (!last.has(span)) last.set(span, one);
  }
  return [...last.values()].slice(0, count);
}
