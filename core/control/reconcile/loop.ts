import { dueLooks } from "@reeve/store";
import type { Context } from "../context.ts";
import type { Leases } from "./leases.ts";
import { lookAt } from "./look.ts";
import { openResting } from "./resting.ts";

/**
 * The reconcile loop of one replica: looks at what is due in its buckets, several at a time, never twice at the same
 * key. Woken by signal (our commits, peers) and by a sweep every second; the wake is only a hint.
 */
export interface Loop {
  wake(): void;
  stop(): Promise<void>;
  readonly figures: { looks: number; failed: number; inFlight: number };
}

const sweepMs = 1000;
const tendMs = 2000;
const concurrent = 8;

export function startLoop(context: Context, leases: Leases, replica: string): Loop {
  const inFlight = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const resting = openResting();
  const kinds = context.registry.kinds.map(({ name }) => name);
  const figures = { looks: 0, failed: 0, inFlight: 0 };
  let stopped = false;
  let pending = false;
  let ring: (() => void) | undefined;
  let endTending: (() => void) | undefined;

  async function turn(): Promise<void> {
    const buckets = leases.mine;
    if (buckets.length === 0) return;
    const room = concurrent - inFlight.size;
    if (room <= 0) return;
    // Those under way are still due until they end, and so are those that rest: ask for as many more.
    const due = await dueLooks(context.database, { buckets, kinds }, room + inFlight.size + resting.size);
    for (const one of due.filter(({ uid }) => !inFlight.has(uid) && !resting.has(uid)).slice(0, room)) {
      const work = lookAt(context, one, replica, stopping.signal)
        .then((outcome) => {
          resting.wake(one.uid);
          figures.looks++;
          if (outcome === "failed") figures.failed++;
        })
        .catch((error: unknown) => {
          resting.send(one.uid);
          context.log.warn({ err: error, uid: one.uid }, "a look could not be recorded; it will be repeated");
        })
        .finally(() => {
          inFlight.delete(one.uid);
          figures.inFlight = inFlight.size;
          wake();
        });
      inFlight.set(one.uid, work);
      figures.inFlight = inFlight.size;
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      pending = false;
      await turn().catch((error: unknown) =>
        context.log.warn({ err: error }, "cannot look for due work; trying again"),
      );
      if (pending || stopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, sweepMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async function tend(): Promise<void> {
    while (!stopped) {
      await leases
        .tend()
        .catch((error: unknown) => context.log.warn({ err: error }, "cannot renew leases; trying again"));
      if (leases.mine.length > 0) wake();
      if (stopped) return;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, tendMs).unref();
        endTending = resolve;
      });
    }
  }

  function wake(): void {
    pending = true;
    ring?.();
  }

  const tending = tend();
  const running = run();
  return {
    wake,
    figures,
    async stop() {
      stopped = true;
      stopping.abort();
      wake();
      endTending?.();
      // A renewal under way could take again what is released below.
      await Promise.all([running, tending]);
      await Promise.allSettled(inFlight.values());
      await leases.release().catch(() => {});
    },
  };
}
