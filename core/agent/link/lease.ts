import { steadyNow } from "../clock.ts";

/**
 * How long the control plane is sure to believe in this agent: from the moment a beat was sent that was heard, never from when
 * the answer came.
 */
export interface Lease {
  /** Remembers that this beat is sent now. */
  sent(number: bigint): void;
  heard(number: bigint, leaseMs: number): void;
  leftMs(): number;
  /** How long it is when it was just renewed. */
  readonly lengthMs: number;
}

const mostUnheard = 100;

export function openLease(now: () => number = steadyNow): Lease {
  const unheard = new Map<bigint, number>();
  let lengthMs = 0;
  let until = Number.NEGATIVE_INFINITY;
  return {
    sent(number) {
      unheard.set(number, now());
      const [oldest] = unheard.keys();
      if (unheard.size > mostUnheard && oldest !== undefined) unheard.delete(oldest);
    },
    heard(number, leaseMs) {
      const sentAt = unheard.get(number);
      if (sentAt === undefined) return;
      lengthMs = leaseMs;
      until = Math.max(until, sentAt + leaseMs);
      for (const older of unheard.keys()) if (older <= number) unheard.delete(older);
    },
    leftMs: () => until - now(),
    get lengthMs() {
      return lengthMs;
    },
  };
}
