import { type AttemptKey, keyText } from "../attempt-key.ts";
import type { Lane } from "./lane.ts";

/** Lets a body wait, or go on. */
export type HoldBack = (key: AttemptKey, held: boolean) => void;

/**
 * Holds bodies back that write faster than the control plane takes, as a full pipe would: what a flood writes would only be left
 * out, and to write it takes a core and the disk from everybody on this host. Only while the control plane takes something:
 * nothing that runs waits for one that is away.
 */
export interface Holding {
  /** There may be output to take: looks from now on, until there is none. */
  tend(): void;
  /** The control plane has taken something. */
  heard(): void;
  /** Whether it has lately. */
  readonly isTaken: boolean;
  /** Everybody goes on. */
  release(): void;
}

const everyMs = 25;
/** So long nothing was taken: the control plane is away, or its database is. */
const silentMs = 5000;

export function openHolding(lanes: () => readonly Lane[], aheadBytes: number, holdBack: HoldBack): Holding {
  let ahead = new Set<Lane>();
  let held = new Map<string, AttemptKey>();
  let heardAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** Where it begins to wait and where it goes on lie apart, so that it does both seldom. */
  function isAhead(lane: Lane): boolean {
    return lane.aheadBytes > (ahead.has(lane) ? aheadBytes / 2 : aheadBytes);
  }

  function settle(now: Set<Lane>): void {
    ahead = now;
    const before = held;
    held = new Map([...ahead].map(({ key }) => [keyText(key), key]));
    for (const [text, key] of before) if (!held.has(text)) holdBack(key, false);
    for (const [text, key] of held) if (!before.has(text)) holdBack(key, true);
  }

  const isTaken = () => performance.now() - heardAt < silentMs;

  function look(): void {
    const busy = lanes().filter((lane) => lane.unshippedBytes > 0);
    settle(new Set(isTaken() ? busy.filter(isAhead) : []));
    if (busy.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    tend() {
      if (timer !== undefined) return;
      // It has its time to take something: a flood would else have written more than may wait before the first answer.
      heardAt = performance.now();
      timer = setInterval(look, everyMs).unref();
    },
    heard() {
      heardAt = performance.now();
    },
    get isTaken() {
      return isTaken();
    },
    release() {
      clearInterval(timer);
      settle(new Set());
    },
  };
}
