/**
 * Gathers what comes while a batch is under way into the next one: under load batches grow by themselves, at rest nobody
 * waits. A batch that fails is tried again item by item, so that only the culprit hears of it.
 */
export function gather<Item, Result>(
  most: number,
  carryOut: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let busy = false;

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await carryOut(batch.map(({ item }) => item));
      for (const [at, one] of batch.entries()) one.resolve(results[at] as Result);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await settle([one]);
    }
  }

  async function drain(): Promise<void> {
    busy = true;
    // One turn of the event loop, so that what arrived together shares a batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await settle(batch);
    }
    busy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) void drain();
    });
}
