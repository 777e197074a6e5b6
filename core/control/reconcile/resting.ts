/** What could not even be recorded is left alone for a while: it would be due again at once, for ever, and keep others waiting. */
export interface Resting {
  readonly size: number;
  has(uid: string): boolean;
  /** Longer each time: 1 s, 2 s, 4 s … 1 min. */
  send(uid: string): void;
  wake(uid: string): void;
}

const longestMs = 60_000;

export function openResting(now: () => number = () => performance.now()): Resting {
  const all = new Map<string, { until: number; failures: number }>();
  return {
    get size() {
      return all.size;
    },
    has: (uid) => (all.get(uid)?.until ?? 0) > now(),
    send(uid) {
      // Another replica may have it by now.
      for (const [one, { until }] of all) if (until < now() - longestMs) all.delete(one);
      const failures = (all.get(uid)?.failures ?? 0) + 1;
      all.set(uid, { until: now() + Math.min(longestMs, 500 * 2 ** Math.min(failures, 10)), failures });
    },
    wake: (uid) => void all.delete(uid),
  };
}
