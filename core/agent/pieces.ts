import { type AttemptKey, keyText } from "./attempt-key.ts";
import type { Ending } from "./attempts/attempts.ts";
import type { Order } from "./spool/spool.ts";

/** An attempt that the agent holds, from its offer until its end is recorded. */
export interface Piece {
  readonly key: AttemptKey;
  readonly exclusive: boolean;
  /** Absent when the spool was lost and only the attempt's folder told of it. */
  readonly order?: Order;
  state: "spooling" | "accepting" | "running" | "ending" | "ended";
  /** It has begun, perhaps ended, and the spool does not know it. */
  untold?: true;
  /** When the accept or finish was last sent. */
  sentAt: number;
  ending?: Ending;
  /** Why it must not begin, though the accept may yet be acknowledged. */
  stopped?: string;
  /** Not ours any more: nobody wants to hear how it ends. */
  fenced?: true;
  fencedItself?: true;
  watched?: true;
  shipsRest?: true;
}

export interface Pieces {
  hold(piece: Piece): Piece;
  get(key: AttemptKey): Piece | undefined;
  end(piece: Piece, ending: Ending): void;
  /** False when it is not held. */
  drop(piece: Piece): boolean;
  /** It has ended, was given away, or was told to stop before it came: an offer of it that comes now is an old one. */
  close(key: AttemptKey): void;
  isClosed(key: AttemptKey): boolean;
  all(): Piece[];
  readonly size: number;
  /** How many have not ended: those take a slot. */
  readonly active: number;
}

/** Messages overtake one another by seconds at most. */
const mostClosed = 1000;

export function openPieces(): Pieces {
  const pieces = new Map<string, Piece>();
  const closed = new Set<string>();
  let active = 0;
  return {
    hold(piece) {
      pieces.set(keyText(piece.key), piece);
      if (isActive(piece)) active++;
      return piece;
    },
    get: (key) => pieces.get(keyText(key)),
    end(piece, ending) {
      piece.ending = ending;
      piece.state = "ending";
      active--;
    },
    drop(piece) {
      if (!pieces.delete(keyText(piece.key))) return false;
      if (isActive(piece)) active--;
      return true;
    },
    close(key) {
      closed.add(keyText(key));
      const [oldest] = closed;
      if (closed.size > mostClosed && oldest !== undefined) closed.delete(oldest);
    },
    isClosed: (key) => closed.has(keyText(key)),
    all: () => [...pieces.values()],
    get size() {
      return pieces.size;
    },
    get active() {
      return active;
    },
  };
}

export function isActive({ ending }: Piece): boolean {
  return ending === undefined;
}
