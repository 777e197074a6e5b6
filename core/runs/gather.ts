import { setTimeout as sleep } from "node:timers/promises";

/**
 * Gathers what comes while a batch is under way into the next one: under load batches grow by themselves, at rest nobody
 * waits. Where nobody minds a moment, `restMs` between two batches makes them fewer and larger. A batch that fails is tried again
 * call by call, so that only the culprit hears of it.
 */
export function gather<Item, Result>(
  most: number,
  carryOut: (items: readonly Item[]) => Promise<readonly Result[]>,
  restMs = 0,
): (items: readonly Item[]) => Promise<readonly Result[]> {
  interface Waiting {
    readonly items: readonly Item[];
    readonly resolve: (results: readonly Result[]) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let busy = false;

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await carryOut(
        batch.length === 1 ? (batch[0] as Waiting).items : batch.flatMap((one) => one.items),
      );
      let at = 0;
      for (const one of batch) {
        one.resolve(results.slice(at, at + one.items.length));
        at += one.items.length;
      }
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await settle([one]);
    }
  }

  /** At least one call, and no more than fit. */
  function next(): Waiting[] {
    let count = 0;
    const end = waiting.findIndex((one, at) => {
      count += one.items.length;
      return at > 0 && count > most;
    });
    const batch = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return batch;
  }

  async function drain(): Promise<void> {
    busy = true;
    // One turn of the event loop, so that what arrived together shares a batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      await settle(next());
      if (restMs > 0) await sleep(restMs);
    }
    busy = false;
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      if (!busy) void drain();
    });
}
