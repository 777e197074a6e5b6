import type { Registry } from "@reeve/model";
import type { ChangeRow } from "@reeve/store";
import type { Whom } from "../guard/identity.ts";
import type { Selection } from "../operations/list.ts";
import { type SeenChange, seen, viewOf, type WatchType } from "./view.ts";

/** One change as a watcher is told it. `object` is the resource as JSON text. */
export interface Told {
  readonly type: WatchType;
  readonly revision: number;
  /** Scope and name. */
  readonly key: string;
  readonly object: string;
  /** One of those that were there at the start. They are not told in the order of revisions, so none is a place to resume from. */
  readonly listed?: true;
}

/**
 * Who watches what, on this replica. Watchers with the same selection share a channel, so that a change is matched and
 * written out once for all of them: 1,000 watchers of one list cost one match and 1,000 socket writes.
 */
export interface Hub {
  /** Hands a batch of the tail to everybody concerned. */
  publish(changes: readonly ChangeRow[], position: number): void;
  join(selection: Selection, watcher: Watcher): () => void;
  /** Takes in a stream of something else than resources; it is asked and ended like the watches. */
  attend(guest: Guest): () => void;
  readonly position: number;
  readonly watchers: number;
  /** Asks the watchers of these subjects whether they may go on. */
  recheck(whom: Whom): void;
  /** Ends every watch; the server stops. */
  close(): void;
}

interface Guest {
  readonly subjectUid: string;
  recheck(): void;
  close(): void;
}

export interface Watcher extends Guest {
  /** `chunk` caches what a door makes of the batch, so that watchers of one channel share it. */
  tell(batch: readonly Told[], position: number, chunk: Map<string, Buffer>): void;
}

interface Channel {
  readonly selection: Selection;
  readonly watchers: Set<Watcher>;
}

export function openHub(registry: Registry, startAt: number): Hub {
  const channels = new Map<string, Map<string, Channel>>();
  const guests = new Set<Guest>();
  let position = startAt;
  const all = function* (): Generator<Guest> {
    yield* guests;
    for (const byKey of channels.values()) for (const channel of byKey.values()) yield* channel.watchers;
  };

  return {
    get position() {
      return position;
    },
    get watchers() {
      let count = 0;
      for (const _ of all()) count++;
      return count;
    },
    publish(changes, upTo) {
      position = upTo;
      const concerned = new Map<string, SeenChange[]>();
      for (const row of changes) {
        if (!channels.has(row.kind)) continue;
        const list = concerned.get(row.kind) ?? [];
        list.push(seen(row, registry.byName(row.kind)));
        concerned.set(row.kind, list);
      }
      for (const [kindName, list] of concerned) {
        const kind = registry.byName(kindName);
        for (const channel of channels.get(kindName)?.values() ?? []) {
          const batch = list.flatMap((change) => {
            const type = viewOf(channel.selection, kind, change);
            return type === undefined ? [] : [toldOf(type, change.row)];
          });
          if (batch.length === 0) continue;
          const chunk = new Map<string, Buffer>();
          for (const watcher of [...channel.watchers]) watcher.tell(batch, upTo, chunk);
        }
      }
    },
    join(selection, watcher) {
      const byKey = channels.get(selection.kind) ?? new Map<string, Channel>();
      channels.set(selection.kind, byKey);
      const key = JSON.stringify(selection);
      const channel = byKey.get(key) ?? { selection, watchers: new Set<Watcher>() };
      byKey.set(key, channel);
      channel.watchers.add(watcher);
      return () => {
        channel.watchers.delete(watcher);
        if (channel.watchers.size === 0 && byKey.get(key) === channel) byKey.delete(key);
        if (byKey.size === 0) channels.delete(selection.kind);
      };
    },
    attend(guest) {
      guests.add(guest);
      return () => guests.delete(guest);
    },
    recheck(whom) {
      for (const watcher of [...all()])
        if (whom === "everybody" || whom.has(watcher.subjectUid)) watcher.recheck();
    },
    close() {
      for (const watcher of [...all()]) watcher.close();
    },
  };
}

export function toldOf(type: WatchType, { revision, scope, name, object }: ChangeRow): Told {
  return { type, revision, key: `${scope} ${name}`, object };
}
