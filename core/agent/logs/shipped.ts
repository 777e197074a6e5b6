import { free } from "./free.ts";
import { type Hole, type KeptPlace, type Place, writePlace } from "./place.ts";

/** What the control plane has of a file: remembered beside it, then freed. */
export interface Shipped {
  /** Everything up to this place is there. Done now and then, when enough has come together. */
  reach(place: Place): Promise<void>;
  /** This part goes, though what is before it may still be on its way: that stays until it is there. At once. */
  leave(hole: Hole): Promise<void>;
  /** From this place on it goes: what was before is in the file no more. At once. */
  leap(place: Place): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

const stepBytes = 8 * 1024 * 1024;

/** `kept` bytes before a place stay: they decide what is masked after it; and as many after what is before a hole. */
export function openShipped(file: string, kept: number, first: KeptPlace): Shipped {
  let last: Place = first;
  let reached: Place = first;
  let holes = first.holes;
  let freed = first.raw;
  let canFree = true;
  let turn = Promise.resolve();

  /** Without a place on disk nothing may be freed: after a restart it would be read as zeros. */
  function written(place: Place): Promise<boolean> {
    return writePlace(`${file}.shipped`, { ...place, holes }).then(
      () => true,
      () => false,
    );
  }

  async function settle(place: Place): Promise<void> {
    const old = place.cuts < last.cuts || (place.cuts === last.cuts && place.offset <= last.offset);
    if (old) return;
    if (place.cuts !== last.cuts) freed = 0;
    holes = place.cuts === last.cuts ? holes.filter(({ to }) => to > place.raw) : [];
    if (!(await written(place))) return;
    last = place;
    const to = place.raw - kept;
    if (!canFree || to <= freed) return;
    canFree = await free(file, freed, to);
    freed = to;
  }

  async function without(hole: Hole): Promise<void> {
    holes = [...holes.filter(({ from, to }) => from !== hole.from && to > reached.raw), hole];
    if (!(await written(reached))) return;
    last = reached;
    if (canFree) canFree = await free(file, hole.from + kept, hole.to - kept);
  }

  const inTurn = (work: () => Promise<void>) => {
    turn = turn.then(work);
    return turn;
  };

  return {
    async reach(place) {
      if (place.cuts !== reached.cuts || place.offset <= reached.offset) return;
      reached = place;
      if (place.raw - freed >= stepBytes + kept) await inTurn(() => settle(place));
    },
    leave: (hole) => inTurn(() => without(hole)),
    leap(place) {
      reached = place;
      return inTurn(() => settle(place));
    },
    settled: () => turn,
  };
}
