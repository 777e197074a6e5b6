import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until the answer is there; tells the last failure when it never comes. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let last: unknown = "the answer was no";
  while (performance.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = "the answer was no";
    } catch (error) {
      last = error;
    }
    await sleep(50);
  }
  throw new Error(`waited ${withinMs} ms for ${what}`, { cause: last });
}

/** What must be true of the world, said by what is wrong with it: waits until nothing is. */
export async function untilNothing<T>(
  what: string,
  find: () => Promise<readonly T[]>,
  withinMs: number,
): Promise<void> {
  let found: readonly T[] = [];
  await until(
    what,
    async () => {
      found = await find();
      return found.length === 0;
    },
    withinMs,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}; still there: ${JSON.stringify(found.slice(0, 5))}`, {
      cause: error,
    });
  });
}
