import { type AttemptKey, keyText } from "../attempt-key.ts";
import type { Ending } from "../attempts/attempts.ts";
import { openJournal } from "./journal.ts";

/** What was offered, as far as it has to survive the agent's process. Secrets are not in it: `with` still has references. */
export interface Order extends AttemptKey {
  readonly executor: string;
  /** A JSON object. */
  readonly with: string;
  readonly hasSecrets: boolean;
  readonly atMostOnce: boolean;
  readonly exclusive: boolean;
  readonly number: number;
  readonly scope: string;
  readonly workflow: string;
  readonly step: string;
  readonly finishMs?: number;
  readonly heartbeatMs?: number;
}

interface Spooled {
  readonly order: Order;
  /** The body may have been started: it must not be again, if it may be at most once. */
  readonly begun: boolean;
  readonly ending?: Ending;
}

/**
 * What the agent must not forget when it dies: what it has accepted, what may have begun, how it ended; until the control
 * plane has recorded it. Every promise resolves when the disk has it.
 */
export interface Spool {
  /** What the process before this one left. */
  readonly left: readonly Spooled[];
  accepted(orders: readonly Order[]): Promise<void>;
  begun(keys: readonly AttemptKey[]): Promise<void>;
  /** With its order when nobody was told of that before. */
  ended(key: AttemptKey, ending: Ending, order?: Order): Promise<void>;
  forgotten(key: AttemptKey): void;
  close(): Promise<void>;
}

type Entry =
  | { readonly accepted: Order }
  | { readonly begun: string }
  | { readonly ended: string; readonly ending: Ending }
  | { readonly forgotten: string };

export async function openSpool(file: string, compactBytes?: number): Promise<Spool> {
  const held = new Map<string, Spooled>();

  function take(entry: Entry): void {
    if ("accepted" in entry) held.set(keyText(entry.accepted), { order: entry.accepted, begun: false });
    else if ("forgotten" in entry) held.delete(entry.forgotten);
    else {
      const key = "begun" in entry ? entry.begun : entry.ended;
      const known = held.get(key);
      if (known === undefined) return;
      held.set(key, { ...known, ...("begun" in entry ? { begun: true } : { ending: entry.ending }) });
    }
  }

  const journal = await openJournal({
    file,
    ...(compactBytes === undefined ? {} : { compactBytes }),
    read(line) {
      try {
        take(readEntry(line));
      } catch {
        // A block that the disk lost: what stood there is settled by the inventory, as after a lost disk.
      }
    },
    live: () => [...held.values()].flatMap(entriesOf).map((entry) => JSON.stringify(entry)),
  });
  const left = [...held.values()];

  /** Taken first: a compaction may come between the disk's answer and ours. */
  function append(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) take(entry);
    return journal.append(entries.map((entry) => JSON.stringify(entry)));
  }

  return {
    left,
    async accepted(orders) {
      try {
        await append(orders.map((order) => ({ accepted: order })));
      } catch (error) {
        for (const order of orders) held.delete(keyText(order));
        throw error;
      }
    },
    begun: (keys) => append(keys.map((key) => ({ begun: keyText(key) }))),
    ended: (key, ending, order) =>
      append([...(order ? [{ accepted: order }] : []), { ended: keyText(key), ending }]),
    forgotten(key) {
      const entry = { forgotten: keyText(key) };
      if (!held.has(entry.forgotten)) return;
      take(entry);
      journal.note(JSON.stringify(entry));
    },
    close: () => journal.close(),
  };
}

function entriesOf({ order, begun, ending }: Spooled): Entry[] {
  const key = keyText(order);
  return [
    { accepted: order },
    ...(begun ? [{ begun: key }] : []),
    ...(ending ? [{ ended: key, ending }] : []),
  ];
}

/** JSON has no dates. */
function readEntry(line: string): Entry {
  const entry = JSON.parse(line) as Entry;
  if (!("ended" in entry)) return entry;
  const { startedAt, endedAt } = entry.ending;
  const dates = { endedAt: new Date(endedAt), ...(startedAt ? { startedAt: new Date(startedAt) } : {}) };
  return { ...entry, ending: { ...entry.ending, ...dates } };
}
