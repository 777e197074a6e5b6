import type { Database } from "@reeve/store";
import { countChunks } from "@reeve/store/logs";
import type { Log } from "../controller.ts";

/**
 * Tells followers that a run has more output: at once when it came to this replica or another has said so,
 * else when the table is next looked at.
 */
export interface LogNews {
  /** Calls back when there may be more. Returns what ends it. */
  about(run: string, wake: () => void): () => void;
  written(runs: ReadonlySet<string>): void;
  readonly followers: number;
  stop(): void;
}

const everyMs = 300;

/** One look for all followers of this replica, whatever their number; none holds a connection. */
export function openLogNews(database: Database, log: Log): LogNews {
  const followers = new Map<string, Set<() => void>>();
  const seen = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let busy = false;

  function tell(run: string): void {
    for (const wake of followers.get(run) ?? []) wake();
  }

  async function look(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      for (const [run, chunks] of await countChunks(database, [...followers.keys()])) {
        if (seen.get(run) === chunks) continue;
        seen.set(run, chunks);
        tell(run);
      }
    } catch (error) {
      log.debug({ err: error }, "cannot look for new output; trying again");
    }
    busy = false;
  }

  return {
    get followers() {
      let count = 0;
      for (const wakes of followers.values()) count += wakes.size;
      return count;
    },
    about(run, wake) {
      const wakes = followers.get(run) ?? new Set();
      followers.set(run, wakes);
      wakes.add(wake);
      timer ??= setInterval(() => void look(), everyMs);
      return () => {
        wakes.delete(wake);
        if (wakes.size > 0 || followers.get(run) !== wakes) return;
        followers.delete(run);
        seen.delete(run);
        if (followers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    written(runs) {
      for (const run of runs) tell(run);
    },
    stop: () => clearInterval(timer),
  };
}
