import type { Judgement, Keeper, Means, Wanted } from "./keeper.ts";

export interface Converging {
  readonly keeper: Keeper;
  readonly wanted: Wanted;
  readonly means: Means;
  /** When waiting ends, on the clock of `Date.now`. */
  readonly until: number;
  readonly seen: (seen: unknown) => void;
}

const lookMs = 200;

/** Moves the thing to what is wanted and waits until it does its work, or cannot, or time is up. Never throws. */
export async function converge({ keeper, wanted, means, until, seen }: Converging): Promise<Judgement> {
  let judged: Judgement | undefined;
  for (;;) {
    const before = judged;
    try {
      const found = await keeper.observe(wanted, means);
      seen(found);
      judged = keeper.judge(wanted, found);
      const changes = keeper.plan(wanted, found);
      // What has failed by itself would only do so again.
      const again = before !== undefined && !judged.ready && judged.final;
      if (changes.length > 0 && !again) {
        const signal = AbortSignal.any([means.signal, AbortSignal.timeout(Math.max(1, until - Date.now()))]);
        for (const change of changes) await applied(keeper, change, wanted, { ...means, signal });
        judged = { ready: false, why: "it was just changed", final: false };
      }
    } catch (error) {
      // What cannot be seen may be seen in a moment; what cannot be done stays so.
      judged = { ready: false, why: (error as Error).message, final: error instanceof CannotApply };
    }
    if (judged.ready) return judged;
    if (means.signal.aborted) return { ready: false, why: "it was cancelled", final: true };
    if (judged.final) return judged;
    if (Date.now() >= until) return { ...judged, final: true };
    await pause(before === undefined ? 0 : lookMs, means.signal);
  }
}

class CannotApply extends Error {}

async function applied(keeper: Keeper, change: unknown, wanted: Wanted, means: Means): Promise<void> {
  try {
    await keeper.apply(change, wanted, means);
  } catch (error) {
    throw new CannotApply((error as Error).message);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
