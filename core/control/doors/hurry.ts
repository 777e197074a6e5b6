import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Sees when people wait: they ask, and this process is late for its own timers, because it or the machine has too much to do.
 * Then `hurry` is called, so that what can wait does; and again and again while people ask, for some minutes: whatever made them wait
 * is still there, and to let it try every few seconds would make them wait again. It takes two looks in a row, each with questions: who is
 * late once may have been asked by a probe while the machine did something else, and who asked once has had the answer by the time we look.
 */
export interface HurryWatch {
  /** Somebody asks. */
  asked(): void;
  stop(): void;
}

const lookMs = 500;
const resolutionMs = 10;
/** On average; a quiet machine is 0.2 ms late. */
const lateMs = 0.6;
/** One bad second in so long is less than a hundredth of what people ask. */
const usualHoldMs = 300_000;

export function watchHurry(hurry: () => void, holdMs = usualHoldMs): HurryWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  let timer: NodeJS.Timeout | undefined;
  let questions = 0;
  let wasAsked = false;
  let wasLate = false;
  let hurryUntil = Number.NEGATIVE_INFINITY;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    wasAsked = wasLate = false;
    delay.disable();
  }

  function look(): void {
    if (questions === 0) stop();
    else {
      const isLate = delay.mean / 1e6 - resolutionMs > lateMs;
      const now = performance.now();
      if (isLate && wasLate) hurryUntil = now + holdMs;
      if (wasAsked && now < hurryUntil) hurry();
      wasAsked = true;
      wasLate = isLate;
    }
    questions = 0;
    delay.reset();
  }

  return {
    asked() {
      questions++;
      if (timer !== undefined) return;
      // Nobody asks, nobody looks: an idle server sleeps.
      delay.reset();
      delay.enable();
      timer = setInterval(look, lookMs).unref();
    },
    stop,
  };
}
