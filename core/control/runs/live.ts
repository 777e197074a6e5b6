import { Fault, type Json } from "@reeve/model";
import type { Database } from "@reeve/store";
import { runStamps } from "@reeve/store/runs";
import type { Log } from "../controller.ts";
import { type EventOut, eventText } from "../route.ts";

/** What followers are shown: each part under a key of its own, as an event. */
export interface Shown {
  readonly parts: ReadonlyMap<string, { readonly event: string; readonly data: Json }>;
  /** Nothing will change any more. */
  readonly ended: boolean;
}

/** Something to follow: one run, or a list. All who follow the same share one look. */
export interface Followed {
  readonly key: string;
  /** A run is read again when it has changed; a list every time. */
  readonly run?: string;
  /** A run that has ended may be taken up again: its followers stay. */
  readonly stays?: boolean;
  readonly read: () => Promise<Shown | undefined>;
}

export interface Live {
  follow(what: Followed, out: EventOut): () => void;
  /** Something may have changed. Only a hint. */
  wake(): void;
  stop(): void;
}

interface Channel extends Followed {
  readonly followers: Set<EventOut>;
  /** What was told last of each part. */
  told: Map<string, string>;
  synced: boolean;
  ended: boolean;
  stamp: string | undefined;
  readAt: number;
}

const lookMs = 300;
const hintMs = 50;
/** Looking takes at most this part of the time, however much is followed. */
const restFactor = 3;
/** What a step waits for changes without the step: words are made anew this often. */
const wordsMs = 3000;
const atOnce = 4;
const stampsAtOnce = 200;

/**
 * Followers of runs on this replica. It looks at the tables, not at what happens here, so it does not matter which replica or
 * agent did what: one statement tells which of all followed runs have changed, and only those are read, once for all followers.
 */
export function openLive(database: Database, log: Log): Live {
  const channels = new Map<string, Channel>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let hinted = false;
  let stopped = false;

  function plan(ms: number): void {
    clearTimeout(timer);
    if (!stopped && channels.size > 0) timer = setTimeout(() => void look(), ms);
  }

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    hinted = false;
    const startedAt = performance.now();
    try {
      const waiting = await changed();
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await tellNews(next);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    } catch (error) {
      if (!(error instanceof Fault)) log.error({ err: error }, "runs cannot be followed");
    }
    looking = false;
    const tookMs = performance.now() - startedAt;
    plan(Math.max(hinted ? hintMs : lookMs, restFactor * tookMs));
  }

  async function changed(): Promise<Channel[]> {
    const all = [...channels.values()];
    const ids = [...new Set(all.flatMap(({ run, synced }) => (run !== undefined && synced ? run : [])))];
    const stamps = new Map<string, string>();
    for (let at = 0; at < ids.length; at += stampsAtOnce)
      for (const [id, stamp] of await runStamps(database, ids.slice(at, at + stampsAtOnce)))
        stamps.set(id, stamp);
    const now = performance.now();
    return all.filter((channel) => {
      const wordsAge = channel.ended ? 0 : now - channel.readAt;
      if (channel.run === undefined || !channel.synced || wordsAge >= wordsMs) return true;
      const stamp = stamps.get(channel.run);
      const news = stamp !== channel.stamp;
      channel.stamp = stamp;
      return news;
    });
  }

  async function tellNews(channel: Channel): Promise<void> {
    const shown = await channel.read();
    channel.readAt = performance.now();
    if (shown === undefined) return close(channel, new Fault("not_found", "it is no longer kept"));
    const before = channel.told;
    channel.told = new Map([...shown.parts].map(([key, { event, data }]) => [key, eventText(event, data)]));
    const news = [...channel.told].filter(([key, text]) => before.get(key) !== text).map(([, text]) => text);
    const gone = [...before.keys()].filter((key) => !channel.told.has(key));
    news.push(...gone.map((key) => eventText("removed", { key })));
    if (!channel.synced) news.push(syncedText);
    channel.synced = true;
    if (news.length > 0) for (const out of [...channel.followers]) void out.tell(news.join(""));
    channel.ended = shown.ended;
    if (shown.ended && !channel.stays) close(channel);
  }

  function close(channel: Channel, fault?: Fault): void {
    channels.delete(channel.key);
    for (const out of [...channel.followers]) out.end(fault);
  }

  return {
    follow(what, out) {
      const channel = channels.get(what.key) ?? {
        ...what,
        followers: new Set<EventOut>(),
        told: new Map<string, string>(),
        synced: false,
        ended: false,
        stamp: undefined,
        readAt: 0,
      };
      channels.set(what.key, channel);
      channel.followers.add(out);
      if (channel.synced) void out.tell([...channel.told.values(), syncedText].join(""));
      else if (!looking) plan(0);
      return () => {
        channel.followers.delete(out);
        if (channel.followers.size === 0 && channels.get(what.key) === channel) channels.delete(what.key);
      };
    },
    wake() {
      if (hinted || channels.size === 0) return;
      hinted = true;
      if (!looking) plan(hintMs);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Everything there was has been told. */
const syncedText = eventText("synced", {});
