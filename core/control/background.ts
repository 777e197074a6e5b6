import type { Log } from "./controller.ts";

/** When something could not be done: the database may be away. */
const afterTroubleMs = 1000;

/** Repeats a turn for as long as the replica works. A turn says after how many ms the next one is wanted; one that fails is only told. */
export function startBackground(log: Log, what: string, turn: () => Promise<number>): () => Promise<void> {
  let stopped = false;
  let ring = () => {};

  async function run(): Promise<void> {
    while (!stopped) {
      const waitMs = await turn().catch((error: unknown) => {
        log.warn({ err: error }, `${what}: failed, trying again`);
        return afterTroubleMs;
      });
      if (waitMs <= 0 || stopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const running = run();
  return () => {
    stopped = true;
    ring();
    return running;
  };
}
