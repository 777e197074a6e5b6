import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Sees when people wait: they ask, and this process is late for its own timers, because it or the machine has too much to do.
 * Then `hurry` is called, again and again while it lasts, so that what can wait does.
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

export function watchHurry(hurry: () => void): HurryWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  let timer: NodeJS.Timeout | undefined;
  let questions = 0;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    delay.disable();
  }

  function look(): void {
    if (questions === 0) stop();
    else if (delay.mean / 1e6 - resolutionMs > lateMs) hurry();
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
