import { Fault } from "@reeve/model";
import type { Told } from "../../watch/hub.ts";

export type Piled = Told | { readonly type: "synced"; readonly revision: number };

/** What waits between a watch, which fills it, and its client, who takes from it. */
export interface Pile {
  /** While the past is told, resolves when there is room for more; rejects when nobody will make any. */
  tell(batch: readonly Told[]): Promise<void> | void;
  synced(revision: number): void;
  end(error: unknown): void;
  /** The next one; undefined after close. Throws what the watch ended with, after everything before it was taken. */
  take(): Promise<Piled | undefined>;
  close(): void;
}

/** Beyond this the client reads slower than the world changes: it is ended, and resumes from its last revision. */
const pendingLimit = 10_000;
/** The past is told at the client's pace, this much ahead of it, and not to a client that has stopped reading. */
const aheadLimit = 1000;
const stallMs = 30_000;

export function openPile(): Pile {
  let pending: Piled[] = [];
  let next = 0;
  let past = true;
  let ended: { error: unknown } | "closed" | undefined;
  let reader: (() => void) | undefined;
  let room: { promise: Promise<void>; settle(): void; stall: NodeJS.Timeout } | undefined;
  const waiting = () => pending.length - next;

  function end(how: { error: unknown } | "closed"): void {
    ended ??= how;
    reader?.();
    room?.settle();
  }

  function add(batch: readonly Piled[]): void {
    if (ended !== undefined) return;
    for (const one of batch) pending.push(one);
    if (waiting() > pendingLimit) {
      pending = [];
      next = 0;
      end({ error: tooSlow() });
    }
    reader?.();
  }

  function untilRoom(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stall = setTimeout(() => end({ error: tooSlow() }), stallMs);
    const settle = () => {
      if (ended === undefined && waiting() > aheadLimit / 2) return void stall.refresh();
      clearTimeout(stall);
      room = undefined;
      if (ended === undefined) resolve();
      else reject(tooSlow());
    };
    room = { promise, settle, stall };
    return promise;
  }

  /** Not everybody who tells waits for the answer. */
  function heeded(promise: Promise<void>): Promise<void> {
    promise.catch(() => {});
    return promise;
  }

  return {
    tell(batch) {
      add(batch);
      if (ended !== undefined) return past ? heeded(Promise.reject(tooSlow())) : undefined;
      if (past && waiting() > aheadLimit) return heeded(room?.promise ?? untilRoom());
    },
    synced(revision) {
      past = false;
      add([{ type: "synced", revision }]);
    },
    end: (error) => end({ error }),
    close: () => end("closed"),
    async take() {
      while (waiting() === 0 && ended === undefined)
        await new Promise<void>((resolve) => {
          reader = resolve;
        });
      reader = undefined;
      if (ended === "closed") return undefined;
      const one = pending[next++];
      if (one === undefined) throw (ended as { error: unknown }).error;
      // Shifting one by one would move the whole pile every time.
      if (next >= aheadLimit) {
        pending = pending.slice(next);
        next = 0;
      }
      room?.settle();
      return one;
    },
  };
}

function tooSlow(): Fault {
  return new Fault("unavailable", "too slow: too many changes are waiting to be read", {
    next: "watch again from the last revision you have read",
    retryAfterMs: 1000,
  });
}
