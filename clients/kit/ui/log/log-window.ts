import { Fault, type LogLine, type LogMatch, type LogSource, logSourceKey } from "@reeve/model";
import { CallFault, type FollowOptions, type LogIndexNews, type LogNews } from "@reeve/sdk";
import { type Blocks, blockLines, openBlocks, type Place } from "./blocks.ts";
import { countLines, type HeldPage, pageAtChunk, pageAtLine } from "./held-pages.ts";
import { openTail, type Tail } from "./tail.ts";

/** Where the lines of one log come from. */
export interface LogReader {
  index(signal: AbortSignal): AsyncIterable<LogIndexNews>;
  lines(page: HeldPage["page"], skip: number): Promise<readonly LogLine[]>;
  follow(after: number, options: FollowOptions): AsyncIterable<LogNews>;
}

export interface LogState {
  /** Counting what is there, hearing what comes, cut off, all there, or refused. */
  readonly phase: "counting" | "live" | "lost" | "done" | "fault";
  readonly count: number;
  readonly fault?: Fault;
  readonly lostAt?: number;
  /** What else there is to know, such as a lost agent. */
  readonly note?: string;
}

/**
 * A log of any length in bounded memory: how many lines there are is known, their text only where somebody looks and at the end.
 * After a lost connection it goes on behind the last chunk it has, so no line is missing and none comes twice.
 */
export interface LogWindow {
  state(): LogState;
  line(at: number): LogLine | undefined;
  /** These are looked at: reads what is missing. */
  look(from: number, to: number): void;
  /** The number of the line that was found. */
  find(match: LogMatch): Promise<number | undefined>;
  subscribe(changed: () => void): () => void;
  /** Lets the connection go. */
  rest(): void;
  /**
   * Takes it up where it was, also after the end: what has ended may be done over. While it is under way it looks once more
   * afterwards, as the end that is on its way may be an earlier one.
   */
  go(): void;
}

const againMs = 1000;
/** Drawn at most this often, however many lines come. */
const drawMs = 100;
/** Whoever drags through a log reads nothing on the way: lines are fetched where they rest. */
const restMs = 80;

export function openLogWindow(reader: LogReader): LogWindow {
  const pages: HeldPage[] = [];
  const listeners = new Set<() => void>();
  const blocks: Blocks = openBlocks(({ held, skip }) => reader.lines(held.page, skip), changed);
  let state: LogState = { phase: "counting", count: 0 };
  let next: LogState = state;
  let tail: Tail | undefined;
  let after = 0;
  let under: AbortController | undefined;
  let isAsked = false;

  let isTelling = false;
  let looked = { from: 0, to: 0 };
  let resting: ReturnType<typeof setTimeout> | undefined;

  function changed(more: Partial<LogState> = {}): void {
    next = { ...next, ...more };
    if (isTelling) return;
    isTelling = true;
    setTimeout(() => {
      isTelling = false;
      state = { ...next, count: countLines(pages) };
      for (const tell of listeners) tell();
    }, drawMs);
  }

  async function count(signal: AbortSignal): Promise<void> {
    pages.length = 0;
    blocks.clear();
    for await (const news of reader.index(signal)) {
      if (signal.aborted) return;
      if ("page" in news) pages.push({ page: news.page, first: countLines(pages) });
      else {
        after = news.end.after;
        tail = openTail(pages, news.end);
      }
      changed();
    }
    if (tail === undefined) throw new CallFault("unavailable", "the log's index was cut short");
  }

  function take(news: LogNews): void {
    if (news.event === "note") changed({ note: news.note.why });
    if (news.event === "note" || news.event === "ended") return;
    const heard = news.event === "piece" ? news.piece : news.gap;
    if (heard.chunk <= after) return;
    after = heard.chunk;
    const { seq, step, attempt, stream, chunk, offset } = heard;
    const source: LogSource = { seq, step, attempt, stream };
    const place = { chunk, source, offset, isGap: news.event === "gap" };
    const elsewhere =
      news.event === "piece"
        ? tail?.push({ ...place, at: news.piece.at, bytes: bytesOf(news.piece) })
        : tail?.push({ ...place, at: new Date().toISOString(), bytes: new Uint8Array() }, news.gap);
    if (elsewhere !== undefined)
      blocks.drop((lines) => lines.some((line) => logSourceKey(line) === elsewhere));
    changed({ phase: "live" });
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (tail === undefined)
      try {
        await count(signal);
        if (signal.aborted) return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CallFault) || !error.retryable) throw error;
        lose();
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    changed({ phase: "live" });
    const found = () => changed({ phase: "live" });
    do {
      isAsked = false;
      for await (const news of reader.follow(after, { signal, onLost: lose, onFound: found }))
        if (signal.aborted) return;
        else take(news);
      if (signal.aborted) return;
    } while (isAsked);
    under = undefined;
    changed({ phase: "done" });
  }

  function lose(): void {
    if (next.phase !== "lost") changed({ phase: "lost", lostAt: Date.now() });
  }

  function placeOf(at: number): Place | undefined {
    const held = pageAtLine(pages, at);
    return held && { held, skip: Math.floor((at - held.first) / blockLines) * blockLines };
  }

  function want(from: number, to: number): void {
    const wanted: Place[] = [];
    for (let at = Math.max(0, from); at < Math.min(to, state.count); ) {
      const place = placeOf(at);
      if (place === undefined) break;
      if (place.held.live === undefined) wanted.push(place);
      at = Math.min(place.held.first + place.skip + blockLines, place.held.first + place.held.page.lines);
    }
    blocks.want(wanted);
  }

  return {
    state: () => state,
    line(at) {
      const place = placeOf(at);
      if (place === undefined) return undefined;
      const { held, skip } = place;
      return held.live ? held.live[at - held.first] : blocks.get(place)?.[at - held.first - skip];
    },
    look(from, to) {
      const isNear = from <= looked.to && to >= looked.from;
      looked = { from, to };
      clearTimeout(resting);
      if (isNear) want(from, to);
      else resting = setTimeout(() => want(from, to), restMs);
    },
    async find(match) {
      const held = pageAtChunk(pages, match.chunk);
      if (held === undefined) return undefined;
      let best: number | undefined;
      for (let skip = 0; skip < held.page.lines; skip += blockLines) {
        const lines = held.live ?? (await blocks.read({ held, skip }));
        lines.forEach((line, index) => {
          if (logSourceKey(line) === logSourceKey(match) && line.offset <= match.offset)
            best = held.first + (held.live ? 0 : skip) + index;
        });
        if (held.live) break;
      }
      return best;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rest() {
      under?.abort();
      under = undefined;
    },
    go() {
      isAsked = true;
      if (under !== undefined || next.phase === "fault") return;
      under = new AbortController();
      const { signal } = under;
      run(signal).catch((error: unknown) => {
        if (signal.aborted) return;
        const fault = error instanceof Fault ? error : new Fault("internal", String(error));
        changed({ phase: "fault", fault });
      });
    },
  };
}

function bytesOf({ text, base64 }: { readonly text?: string; readonly base64?: string }): Uint8Array {
  if (base64 === undefined) return new TextEncoder().encode(text ?? "");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
