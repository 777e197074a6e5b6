import { setTimeout as pause } from "node:timers/promises";
import { openTurns } from "@reeve/control";

/** Work that goes on when the look that began it has ended: a slow Git server holds no place of the reconcile loop. */
export interface Errands {
  /**
   * What came of the work for this repository; undefined when it takes longer than a moment: ask again. What was begun for
   * another state of things does not count.
   */
  result<T>(uid: string, state: string, work: () => Promise<T>): Promise<{ readonly value: T } | undefined>;
}

interface Errand {
  readonly state: string;
  readonly end: Promise<unknown>;
  isOver: boolean;
}

const keptMs = 5 * 60_000;

export function openErrands({ atOnce = 16, momentMs = 2000 } = {}): Errands {
  const errands = new Map<string, Errand>();
  const turns = openTurns();

  function begin(uid: string, state: string, work: () => Promise<unknown>): Errand {
    const end = turns.take("git", atOnce).then((done) => work().finally(done));
    const errand: Errand = { state, end, isOver: false };
    errands.set(uid, errand);
    const settled = () => {
      errand.isOver = true;
      // Nobody may ask again: another replica looks at it by now, or it is gone.
      setTimeout(() => errands.get(uid) === errand && errands.delete(uid), keptMs).unref();
    };
    end.then(settled, settled);
    return errand;
  }

  return {
    async result<T>(uid: string, state: string, work: () => Promise<T>) {
      const known = errands.get(uid);
      // One at a time for each, whatever it was begun for.
      if (known?.isOver === false) return undefined;
      const errand = known?.state === state ? known : begin(uid, state, work);
      const patience = new AbortController();
      const moment = pause(momentMs, undefined, { signal: patience.signal });
      await Promise.race([errand.end, moment].map((one) => one.catch(() => {})));
      patience.abort();
      if (!errand.isOver) return undefined;
      errands.delete(uid);
      return { value: (await errand.end) as T };
    },
  };
}
