import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Fault, sampleMs } from "@reeve/model";
import type { Usage } from "@reeve/protocol";
import type { Database } from "@reeve/store";
import { type UsageWindow, writeUsage } from "@reeve/store/usage";
import type { Log } from "../controller.ts";
import { readUuid } from "../doors/agents/words.ts";

/** Takes what agents tell of what is used. */
export interface UsageIn {
  /** Resolves when it is durable; false when it could not be written, and will be told again. */
  take(window: UsageWindow): Promise<boolean>;
  /** What was not written by then is told again elsewhere. */
  stop(): Promise<void>;
}

/** Windows of many agents are written together: so few statements, however many agents there are. */
const gatherMs = 500;
const mostAtOnce = 200;

interface Waiting {
  readonly window: UsageWindow;
  readonly tell: ((durable: boolean) => void)[];
}

export function openUsageIn(database: Database, log: Log): UsageIn {
  let waiting = new Map<string, Waiting>();
  let due: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let stopped = false;

  async function write(): Promise<void> {
    const all = [...waiting.values()];
    waiting = new Map();
    for (let at = 0; at < all.length; at += mostAtOnce) {
      const some = all.slice(at, at + mostAtOnce);
      const durable = await writeUsage(
        database,
        sampleMs,
        some.map(({ window }) => window),
      ).then(
        () => true,
        (error: unknown) => {
          log.warn({ err: error }, "what agents use could not be written; they will tell it again");
          return false;
        },
      );
      for (const { tell } of some) for (const one of tell) one(durable);
    }
    due = undefined;
    if (waiting.size > 0) writeSoon();
  }

  function writeSoon(): void {
    if (stopped) return;
    due ??= setTimeout(() => {
      writing = write();
    }, gatherMs);
  }

  return {
    take: (window) =>
      new Promise((resolve) => {
        const key = `${window.agent} ${window.fromMs}`;
        // What is newer of the same window holds all that was told of it before.
        waiting.set(key, { window, tell: [...(waiting.get(key)?.tell ?? []), resolve] });
        writeSoon();
      }),
    async stop() {
      stopped = true;
      clearTimeout(due);
      await writing;
    },
  };
}

const mostOf = 1001;
const mostBytes = 1024 ** 2;
const oldestMs = 2 * 3_600_000;
/** A clock that is wrong by less is believed. */
const believedMs = 60_000;

/**
 * Reads what one agent tells; undefined of what is not of the last two hours. Its clock may be wrong, and is put right by as much
 * on the whole connection.
 */
export function openUsageReader(agent: string): (usage: Usage) => UsageWindow | undefined {
  let aheadMs: number | undefined;
  return ({ from, sentAt, of }) => {
    if (from === undefined || sentAt === undefined) throw new Fault("invalid", "usage: a time is missing");
    aheadMs ??= timestampMs(sentAt) - Date.now();
    const fromMs = onGrid(timestampMs(from) - (Math.abs(aheadMs) > believedMs ? aheadMs : 0));
    const ageMs = Date.now() - fromMs;
    if (ageMs > oldestMs || ageMs < -believedMs - sampleMs) return undefined;
    const bytes = of.reduce((sum, { series }) => sum + series.length, 0);
    if (of.length > mostOf || bytes > mostBytes)
      throw new Fault("too_large", "usage: too much in one window");
    const seen = new Map(of.map((one) => [readUuid("usage.of.uid", one.uid), one.series]));
    return { agent, fromMs, of: [...seen].map(([uid, series]) => ({ uid, series })) };
  };
}

function onGrid(ms: number): number {
  return Math.floor(ms / sampleMs) * sampleMs;
}
