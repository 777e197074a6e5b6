import type { CallFault, PartNews, WatchPart } from "@reeve/sdk";

/** What a page shows of something that changes: loading, live, stale since the connection was lost, or refused. */
export interface Shown<T> {
  readonly value: T;
  readonly state: "loading" | "live" | "stale" | "fault";
  readonly fault?: CallFault;
  /** Since when it may have changed without our knowing. */
  readonly since?: Date;
}

/** How the news of one part become what is shown of it. */
export interface Gathering<T> {
  /** As asked for now: from where it was, when it can be resumed. */
  part(): WatchPart;
  /** All of it is told anew; what is shown stays until that is complete. */
  startOver(): void;
  take(news: PartNews): void;
  /** A new value whenever something has changed, the same one otherwise. */
  value(): T;
}

/** One watched part, shared by everything on the page that shows it. */
export interface Watched<T = unknown> extends Gathering<T> {
  readonly key: string;
  shown(): Shown<T>;
  set(change: Omit<Shown<T>, "value">): void;
  /** Something has been taken; whoever listens is told soon. */
  changed(): void;
  listen(listener: () => void): () => void;
  readonly listeners: number;
}

/** Pages are drawn at most this often, however many changes come. */
const drawMs = 100;

export function openWatched<T>(key: string, gathering: Gathering<T>): Watched<T> {
  const listeners = new Set<() => void>();
  let current: Shown<T> = { value: gathering.value(), state: "loading" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  function tell(): void {
    timer = undefined;
    current = { ...current, value: gathering.value() };
    for (const listener of [...listeners]) listener();
  }
  return {
    ...gathering,
    key,
    shown: () => current,
    set({ state, fault, since }) {
      if (current.state === state && current.fault === fault) return;
      current = { value: current.value, state, ...(fault && { fault }), ...(since && { since }) };
      clearTimeout(timer);
      tell();
    },
    changed() {
      timer ??= setTimeout(tell, drawMs);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get listeners() {
      return listeners.size;
    },
  };
}
