/** Work that is done again whenever somebody asks, never twice at once; asked while it is under way, it is done once more. */
export interface Task {
  wake(): void;
  /** At the latest after so long. */
  wakeIn(ms: number): void;
  stop(): Promise<void>;
}

const timerMostMs = 60_000;

export function startTask(onTrouble: (error: unknown) => void, work: () => Promise<void>): Task {
  let asked = false;
  let running: Promise<void> | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  async function run(): Promise<void> {
    while (asked && !stopped) {
      asked = false;
      try {
        await work();
      } catch (error) {
        onTrouble(error);
        break;
      }
    }
    running = undefined;
  }

  const task: Task = {
    wake() {
      asked = true;
      if (!stopped) running ??= run();
    },
    wakeIn(ms) {
      const at = performance.now() + Math.min(ms, timerMostMs);
      if (at >= timerAt || stopped) return;
      clearTimeout(timer);
      timerAt = at;
      timer = setTimeout(
        () => {
          timerAt = Number.POSITIVE_INFINITY;
          task.wake();
        },
        Math.max(0, at - performance.now()) + 1,
      );
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
  return task;
}
