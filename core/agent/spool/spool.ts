import { type AttemptKey, keyText, readKeyText } from "../attempt-key.ts";
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
  readonly key: AttemptKey;
  /** Absent when it had ended before it was worth a line. */
  readonly order?: Order;
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
  /** Also of one that was not written down before. */
  ended(key: AttemptKey, ending: Ending): Promise<void>;
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
    if ("accepted" in entry) {
      const { run, seq, epoch } = entry.accepted;
      held.set(keyText(entry.accepted), { key: { run, seq, epoch }, order: entry.accepted, begun: false });
    } else if ("forgotten" in entry) held.delete(entry.forgotten);
    else if ("begun" in entry) {
      const known = held.get(entry.begun);
      if (known !== undefined) held.set(entry.begun, { ...known, begun: true });
    } else {
      const known = held.get(entry.ended);
      const key = known?.key ?? readKeyText(entry.ended);
      if (key !== undefined) held.set(entry.ended, { begun: false, ...known, key, ending: entry.ending });
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
    ended: (key, ending) => append([{ ended: keyText(key), ending }]),
    forgotten(key) {
      const entry = { forgotten: keyText(key) };
      if (!held.has(entry.forgotten)) return;
      take(entry);
      journal.note(JSON.stringify(entry));
    },
    close: () => journal.close(),
  };
}

function entriesOf({ key, order, begun, ending }: Spooled): Entry[] {
  const text = keyText(key);
  return [
    ...(order ? [{ accepted: order }] : []),
    ...(begun ? [{ begun: text }] : []),
    ...(ending ? [{ ended: text, ending }] : []),
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
