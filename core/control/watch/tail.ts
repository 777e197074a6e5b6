import { setTimeout as sleep } from "node:timers/promises";
import { type ChangeRow, type Committed, changesAfter, type Database, readCounter } from "@reeve/store";
import type { Log } from "../controller.ts";

/**
 * Follows the changes in commit order, once per replica, and hands them on in batches. Woken by our own commits and by
 * peers; a sweep finds whatever a lost wake would have told, so a wake is only a hint.
 */
export interface Tail {
  /** Everything up to this revision has been handed on. */
  readonly position: number;
  /** Our own commit: handed on without asking the database when nothing lies between. */
  committed(committed: Committed): void;
  wake(): void;
  stop(): Promise<void>;
}

export type TailListener = (changes: readonly ChangeRow[], position: number) => void;

const sweepMs = 500;
const pageSize = 1000;
/** When changes come faster than they are read, so many more are read at once: people wait for the same process. */
const restMs = 10;

export async function openTail(database: Database, log: Log, listener: TailListener): Promise<Tail> {
  let position = (await readCounter(database)).revision;
  let stopped = false;
  let woken: (() => void) | undefined;
  let pending = false;

  async function catchUp(): Promise<void> {
    for (;;) {
      const after = position;
      const changes = await changesAfter(database, after, pageSize);
      // Our own commit was handed on while we were reading: read again from there.
      if (position !== after) continue;
      const last = changes.at(-1);
      if (last !== undefined) {
        position = last.revision;
        listener(changes, position);
      }
      // Whatever was committed meanwhile has woken us, or is found by the sweep.
      if (changes.length < pageSize) return;
    }
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      pending = false;
      try {
        await catchUp();
      } catch (error) {
        log.warn({ err: error }, "cannot read changes; trying again");
      }
      if (stopped) return;
      if (pending) {
        await sleep(restMs);
        continue;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, sweepMs);
        woken = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const wake = () => {
    pending = true;
    woken?.();
  };
  const following = follow();
  return {
    get position() {
      return position;
    },
    committed({ base, revision, changes }) {
      if (position !== base) return wake();
      position = revision;
      if (changes.length > 0) listener(changes, position);
    },
    wake,
    async stop() {
      stopped = true;
      wake();
      await following;
    },
  };
}
