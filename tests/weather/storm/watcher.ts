import { setTimeout as sleep } from "node:timers/promises";
import { openWatch } from "../../harness/event-stream.ts";

/** One event of a watch, as it came over the wire. */
export interface Heard {
  readonly event: "added" | "modified" | "removed";
  readonly revision: number;
  readonly uid: string;
}

export interface Watcher {
  readonly heard: readonly Heard[];
  /** Everything up to here has been told. */
  readonly position: number;
  readonly reconnects: number;
  /** Answers that a watcher must never get. */
  readonly refusals: readonly string[];
  stop(): Promise<void>;
}

/** Follows a list on one replica and comes back after every loss with the last id it heard, `synced` included. */
export function startWatcher(url: string, token: string, since: number): Watcher {
  const heard: Heard[] = [];
  const refusals: string[] = [];
  const state = { position: since, reconnects: 0, stopped: false, close: () => {} };
  const follow = async () => {
    for (; !state.stopped; state.reconnects++) {
      const path = `/api/v1/organizations/acme/projects?watch=true&since=${state.position}`;
      const watch = await openWatch(url, token, path).catch(() => undefined);
      if (watch === undefined || watch.status !== 200) {
        if (watch !== undefined && watch.status !== 503)
          refusals.push(`${watch.status} at ${state.position}`);
        await sleep(100);
        continue;
      }
      state.close = watch.close;
      let over = false;
      void watch.ended.then(() => {
        over = true;
      });
      while (!over || watch.events.length > 0) {
        for (const { event, id, data } of watch.events.splice(0)) {
          if (event === "end") continue;
          if (event !== "synced")
            heard.push({
              event: event as Heard["event"],
              revision: id ?? 0,
              uid: data.resource.metadata.uid,
            });
          state.position = id ?? state.position;
        }
        await sleep(20);
      }
    }
  };
  const following = follow();
  return {
    heard,
    refusals,
    get position() {
      return state.position;
    },
    get reconnects() {
      return state.reconnects;
    },
    async stop() {
      state.stopped = true;
      state.close();
      await following;
    },
  };
}
