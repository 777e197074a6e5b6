import { statSync } from "node:fs";
import { steadyNow } from "../clock.ts";
import type { Attempt } from "./attempt.ts";
import { spanText } from "./ending.ts";
import { isAlive } from "./processes.ts";

export interface WatchEar {
  /** Its shim is not there any more. */
  readonly gone: (attempt: Attempt) => void;
  readonly late: (attempt: Attempt, why: string) => void;
}

interface Watched {
  readonly attempt: Attempt;
  /** By nobody else: its spawner died, or it was adopted. */
  orphan: boolean;
  /** On the monotonic clock, as all times here: a clock that is set must not end anything. */
  readonly finishAt: number;
  signAt: number;
  lookAt: number;
  bytes: number;
  touchedAt: number;
}

const TICK_MS = 250;

/**
 * What no process tells us: that an adopted shim has ended, that time is up, that a body gives no sign of life. One timer for all,
 * that looks only at attempts with something to look for, and at files only as often as the heartbeat asks for.
 */
export function openWatch({ gone, late }: WatchEar) {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const one of watched.values()) {
      const { attempt } = one;
      if (one.orphan && attempt.shim && !isAlive(attempt.shim)) gone(attempt);
      else if (attempt.stop || attempt.ending) continue;
      else if (now >= one.finishAt) late(attempt, `ran longer than ${spanText(attempt.kept.finishMs ?? 0)}`);
      else if (attempt.kept.heartbeatMs !== undefined) lookForLife(one, attempt.kept.heartbeatMs, now);
    }
  }

  function lookForLife(one: Watched, heartbeatMs: number, now: number): void {
    if (now < one.lookAt) return;
    one.lookAt = now + heartbeatMs / 8;
    const bytes = sizeOf(one.attempt.layout.out) + sizeOf(one.attempt.layout.err);
    const touchedAt = modifiedAt(one.attempt.layout.heartbeat);
    // What was shipped is cut off, so fewer bytes are no sign of life.
    if (bytes > one.bytes || touchedAt !== one.touchedAt || one.attempt.held) one.signAt = now;
    one.bytes = bytes;
    one.touchedAt = touchedAt;
    if (now - one.signAt >= heartbeatMs) late(one.attempt, `no sign of life for ${spanText(heartbeatMs)}`);
  }

  return {
    add(attempt: Attempt, orphan: boolean): void {
      const { finishMs, heartbeatMs } = attempt.kept;
      const known = watched.get(attempt.name);
      if (known) known.orphan ||= orphan;
      else if (orphan || finishMs !== undefined || heartbeatMs !== undefined) {
        const now = performance.now();
        const passed = attempt.shim?.begunMs ? steadyNow() - attempt.shim.begunMs : 0;
        const finishAt =
          finishMs === undefined ? Number.POSITIVE_INFINITY : now + Math.max(0, finishMs - passed);
        watched.set(attempt.name, {
          attempt,
          orphan,
          finishAt,
          signAt: now,
          lookAt: 0,
          bytes: 0,
          touchedAt: 0,
        });
      }
      if (watched.size > 0) timer ??= setInterval(look, TICK_MS).unref();
    },
    drop(attempt: Attempt): void {
      watched.delete(attempt.name);
      if (watched.size === 0) this.close();
    },
    close(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
