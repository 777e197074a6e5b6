import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { bootId } from "../attempts/processes.ts";
import { steadyNow } from "../clock.ts";

/**
 * How long the control plane is sure to believe in this agent: from the moment a beat was sent that was heard, never from when
 * the answer came. It stands in a file, too: exclusive attempts end themselves by it when no agent does (guard.sh), and the
 * agent's next process goes on from it.
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
/** Guards kill this long, and this part of the lease, before its end: after the agent would have, and they look once a second. */
const guardMs = 1500;
const guardShare = 1 / 20;

/** Without a file for an agent that runs nothing. */
export function openLease(file?: string, now: () => number = steadyNow): Lease {
  const unheard = new Map<bigint, number>();
  let { until, lengthMs } = (file && readLease(file)) || { until: Number.NEGATIVE_INFINITY, lengthMs: 0 };
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
      if (file) writeLease(file, until, lengthMs);
      for (const older of unheard.keys()) if (older <= number) unheard.delete(older);
    },
    leftMs: () => until - now(),
    get lengthMs() {
      return lengthMs;
    },
  };
}

/** First what guards read: the second of the host's uptime, as a shell can count, by which an exclusive body must be gone. */
function writeLease(file: string, until: number, lengthMs: number): void {
  const guard = Math.floor((until - guardMs - lengthMs * guardShare) / 1000);
  try {
    writeFileSync(`${file}.new`, `${guard} ${until} ${lengthMs} ${bootId()}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // Memory is full: attempts end by the last that was written, too early rather than too late.
  }
}

/** Undefined when there was no agent before this one since the host's start. */
function readLease(file: string): { until: number; lengthMs: number } | undefined {
  try {
    const [, until, lengthMs, boot] = readFileSync(file, "utf8").trim().split(" ");
    return boot === bootId() ? { until: Number(until), lengthMs: Number(lengthMs) } : undefined;
  } catch {
    return undefined;
  }
}
