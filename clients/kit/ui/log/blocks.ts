import type { LogLine } from "@reeve/model";
import type { HeldPage } from "./held-pages.ts";

/** Lines are read so many at once. */
export const blockLines = 1000;
/** And so many are kept: what was looked at longest ago goes. */
const mostBlocks = 40;
const atOnce = 3;

export interface Place {
  readonly held: HeldPage;
  /** The first line of the block within its page. */
  readonly skip: number;
}

/** Text that was read, a bounded part of the log. */
export interface Blocks {
  get(place: Place): readonly LogLine[] | undefined;
  /** Reads what is missing of these, the first ones first; what is no longer wanted by then is not read. */
  want(places: readonly Place[]): void;
  /** Reads one of them in any case. */
  read(place: Place): Promise<readonly LogLine[]>;
  /** Forgets the blocks for which it holds: there is more of them by now. */
  drop(holds: (lines: readonly LogLine[]) => boolean): void;
  clear(): void;
}

export function openBlocks(load: (place: Place) => Promise<readonly LogLine[]>, changed: () => void): Blocks {
  const loaded = new Map<string, readonly LogLine[]>();
  const loading = new Map<string, Promise<readonly LogLine[]>>();
  let wanted: readonly Place[] = [];
  let dropped = 0;

  function read(place: Place): Promise<readonly LogLine[]> {
    const key = keyOf(place);
    const known = loaded.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const underWay = loading.get(key);
    if (underWay !== undefined) return underWay;
    const asOf = dropped;
    const reading = load(place)
      .then((lines) => {
        // What was dropped meanwhile may have been read too early.
        if (asOf === dropped) keep(key, lines);
        return lines;
      })
      .finally(() => {
        loading.delete(key);
        changed();
        pump();
      });
    loading.set(key, reading);
    return reading;
  }

  function keep(key: string, lines: readonly LogLine[]): void {
    loaded.set(key, lines);
    for (const oldest of loaded.keys()) {
      if (loaded.size <= mostBlocks) return;
      loaded.delete(oldest);
    }
  }

  function pump(): void {
    for (const place of wanted) {
      if (loading.size >= atOnce) return;
      // A failure has been retried; the next look asks again.
      if (!loaded.has(keyOf(place)) && !loading.has(keyOf(place))) read(place).catch(() => {});
    }
  }

  return {
    get(place) {
      const key = keyOf(place);
      const lines = loaded.get(key);
      if (lines === undefined) return undefined;
      loaded.delete(key);
      loaded.set(key, lines);
      return lines;
    },
    want(places) {
      wanted = places;
      pump();
    },
    read,
    drop(holds) {
      dropped++;
      for (const [key, lines] of loaded) if (holds(lines)) loaded.delete(key);
    },
    clear() {
      dropped++;
      loaded.clear();
      wanted = [];
    },
  };
}

function keyOf({ held, skip }: Place): string {
  return `${held.first} ${skip}`;
}
