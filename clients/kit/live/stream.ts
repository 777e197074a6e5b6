import { CallFault, type StreamNews, type WatchPart } from "@reeve/sdk";
import type { Watched } from "./watched.ts";

/** How this window is connected. `resting`: nobody looks at it, so it has let go of its stream. */
export interface Connection {
  readonly state: "idle" | "live" | "lost" | "resting";
  readonly since: Date;
}

export interface Stream {
  /** Watches it from now on; the function it returns lets go of it. */
  hold(watched: Watched): () => void;
  connection(): Connection;
  listen(listener: () => void): () => void;
  /** Tells when the person's rights may have changed. */
  onRights(listener: () => void): void;
  /** Whether somebody looks at the window. */
  look(visible: boolean): void;
}

export type Connect = (
  parts: readonly WatchPart[],
  options: { readonly signal: AbortSignal },
) => AsyncGenerator<readonly StreamNews[], void>;

/** Pages ask for several things in one moment; one connection is made for all. */
const gatherMs = 20;
/** What was left a moment ago is often wanted again: the back button. */
const lingerMs = 5_000;
const restMs = 60_000;
const retryMs = { first: 500, longest: 10_000 };

/**
 * The one stream of a window, for everything that it watches. When something is added it is opened anew, which costs little:
 * lists go on from the revision they were told last. A lost connection is tried again until it is back.
 */
export function openStream(connect: Connect): Stream {
  const wanted = new Map<string, Watched>();
  const listeners = new Set<() => void>();
  const rights = new Set<() => void>();
  let covered: readonly Watched[] = [];
  let current: AbortController | undefined;
  let connection: Connection = { state: "idle", since: new Date() };
  let missed = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;

  function become(state: Connection["state"]): void {
    if (connection.state === state) return;
    // Nobody has told what changed meanwhile.
    if (state === "live" && missed) tellRights();
    missed = state !== "live";
    connection = { state, since: new Date() };
    for (const listener of [...listeners]) listener();
  }

  function tellRights(): void {
    for (const listener of rights) listener();
  }

  function plan(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), ms);
  }

  async function run(): Promise<void> {
    current?.abort();
    covered = [...wanted.values()].filter((one) => one.shown().state !== "fault");
    if (covered.length === 0 || connection.state === "resting") return;
    const own = new AbortController();
    current = own;
    const parts = covered.map((one) => {
      const part = one.part();
      // What has no place to go on from is told anew, all of it.
      if (!("since" in part) || part.since === undefined) one.startOver();
      return part;
    });
    let again = false;
    try {
      for await (const batch of connect(parts, { signal: own.signal })) {
        if (own.signal.aborted) return;
        failures = 0;
        become("live");
        for (const news of batch) again = take(news) || again;
        if (again) break;
      }
    } catch (error) {
      if (own.signal.aborted) return;
      if (error instanceof CallFault && !error.retryable) refuse(error);
    }
    if (own.signal.aborted) return;
    if (again) return plan(gatherMs);
    lose();
  }

  /** Whether the stream has to be opened anew for it. */
  function take(news: StreamNews): boolean {
    if (news.event === "rights") {
      tellRights();
      return false;
    }
    const watched = covered[news.on];
    if (watched === undefined) return false;
    if (news.event !== "over") {
      watched.take(news);
      if (news.event === "synced") watched.set({ state: "live" });
      watched.changed();
      return false;
    }
    const { fault } = news;
    if (fault === undefined) return false;
    // What may be seen has changed, or too much has happened since: it is told anew.
    if (fault.kind === "gone" || fault.kind === "conflict") watched.startOver();
    // Whether it is the session that has ended, the next connection tells.
    else if (!fault.retryable && fault.kind !== "unauthenticated") {
      watched.set({ state: "fault", fault });
      return false;
    }
    return true;
  }

  /** The whole stream was refused, as when the session has ended. */
  function refuse(fault: CallFault): void {
    for (const watched of covered) watched.set({ state: "fault", fault });
  }

  function lose(): void {
    become("lost");
    for (const watched of covered)
      if (watched.shown().state === "live") watched.set({ state: "stale", since: connection.since });
    const wait = Math.min(retryMs.longest, retryMs.first * 2 ** failures++);
    plan(wait * (0.5 + Math.random() / 2));
  }

  return {
    hold(watched) {
      if (wanted.get(watched.key) !== watched) {
        wanted.set(watched.key, watched);
        if (connection.state !== "lost") plan(gatherMs);
      }
      return () => {
        setTimeout(() => {
          if (watched.listeners > 0 || wanted.get(watched.key) !== watched) return;
          wanted.delete(watched.key);
          if (wanted.size > 0) return;
          current?.abort();
          become("idle");
        }, lingerMs);
      };
    },
    connection: () => connection,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onRights(listener) {
      rights.add(listener);
    },
    look(visible) {
      clearTimeout(resting);
      if (!visible) {
        resting = setTimeout(() => {
          current?.abort();
          clearTimeout(timer);
          become("resting");
          for (const watched of covered)
            if (watched.shown().state === "live") watched.set({ state: "stale", since: connection.since });
        }, restMs);
      } else if (connection.state === "resting") {
        become("idle");
        plan(0);
      } else if (connection.state === "lost") plan(0);
    },
  };
}
