import type { Resource } from "@reeve/model";

export interface WatchEvent<R = Resource> {
  readonly type: "added" | "modified" | "removed";
  readonly resource: R;
}

/**
 * What a watcher has been told so far. It makes a broken stream look whole: nothing is told twice, and after starting over
 * from a full listing it tells exactly the difference, including what vanished unseen.
 */
export interface WatchMemory<R> {
  /** From now on a full listing is coming in. */
  startOver(): void;
  /** The event as the watcher should hear it, or undefined when it knows already. */
  take(event: WatchEvent<R>): WatchEvent<R> | undefined;
  /** The stream has caught up: after a full listing, what was not in it has gone. */
  caughtUp(): WatchEvent<R>[];
}

export function watchMemory<R extends Resource>(initial: Iterable<R> = []): WatchMemory<R> {
  const known = new Map<string, R>();
  for (const resource of initial) known.set(resource.metadata.uid, resource);
  /** Removed since the last sync point: a resumed stream may repeat these. */
  const gone = new Map<string, number>();
  let listed: Set<string> | undefined;

  function take({ type, resource }: WatchEvent<R>): WatchEvent<R> | undefined {
    const { uid, revision } = resource.metadata;
    if (type === "removed") {
      if (gone.has(uid)) return undefined;
      listed?.delete(uid);
      known.delete(uid);
      gone.set(uid, revision);
      return { type, resource };
    }
    listed?.add(uid);
    const before = known.get(uid);
    if (before !== undefined && isOld(resource, before)) return undefined;
    if (before === undefined && (gone.get(uid) ?? 0) >= revision) return undefined;
    gone.delete(uid);
    known.set(uid, resource);
    return { type: before !== undefined && type === "added" ? "modified" : type, resource };
  }

  /** A restored database counts revisions again from an earlier one, so in a full listing only the same is old. */
  function isOld(resource: R, before: R): boolean {
    if (listed === undefined) return before.metadata.revision >= resource.metadata.revision;
    const same = before.metadata.revision === resource.metadata.revision;
    return same && before.metadata.updatedAt === resource.metadata.updatedAt;
  }

  return {
    startOver() {
      listed = new Set();
      gone.clear();
    },
    take,
    caughtUp() {
      gone.clear();
      const present = listed;
      listed = undefined;
      if (present === undefined) return [];
      const vanished = [...known.values()].filter((resource) => !present.has(resource.metadata.uid));
      for (const { metadata } of vanished) known.delete(metadata.uid);
      return vanished.map((resource) => ({ type: "removed", resource }));
    },
  };
}
