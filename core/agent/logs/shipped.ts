import { free } from "./free.ts";
import { type Place, writePlace } from "./place.ts";

/** What the control plane has of a file: remembered beside it, then freed. */
export interface Shipped {
  /** Everything up to this place is there. Done now and then, when enough has come together. */
  reach(place: Place): Promise<void>;
  /** From this place on it goes, whatever was before. At once. */
  leap(place: Place): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

const stepBytes = 8 * 1024 * 1024;

/** `kept` bytes before a place stay: they decide what is masked after it. */
export function openShipped(file: string, kept: number, first: Place): Shipped {
  let last = first;
  let freed = first.raw;
  let canFree = true;
  let turn = Promise.resolve();

  async function settle(place: Place): Promise<void> {
    const old = place.cuts < last.cuts || (place.cuts === last.cuts && place.offset <= last.offset);
    if (old) return;
    if (place.cuts !== last.cuts) freed = 0;
    // Without a place on disk nothing may be freed: after a restart it would be read as zeros.
    const written = await writePlace(`${file}.shipped`, place).then(
      () => true,
      () => false,
    );
    if (!written) return;
    last = place;
    const to = place.raw - kept;
    if (!canFree || to <= freed) return;
    canFree = await free(file, freed, to);
    freed = to;
  }

  const inTurn = (place: Place) => {
    turn = turn.then(() => settle(place));
    return turn;
  };

  return {
    async reach(place) {
      if (place.cuts === last.cuts && place.raw - freed >= stepBytes + kept) await inTurn(place);
    },
    leap: inTurn,
    settled: () => turn,
  };
}
