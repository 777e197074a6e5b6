import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import {
  type LogChunk,
  LogStream,
  type LogsRequest,
  LogsRequestSchema,
  type LogsResponse,
} from "@reeve/protocol/agent";
import { type AttemptKey, keyText } from "../attempt-key.ts";
import { sharedFinder } from "../finders.ts";
import { type HoldBack, openHolding } from "./holding.ts";
import { type Lane, type OnTheWay, openLane } from "./lane.ts";
import { openMask } from "./mask.ts";
import { pieceBytes } from "./output.ts";

/**
 * The way of an attempt's output to the control plane. Promises: every byte arrives once and in its order per stream, with the
 * texts to hide masked at their full length, or stands in a gap that says why; what the control plane has is freed here; a
 * flood neither fills the disk nor makes a neighbour wait: it is held back. Goes on after a lost connection, and after a restart of the agent.
 */
export interface Shipping {
  /** Ships what is and will be in the files. After a restart of the agent: again, with the same files. */
  watch(key: AttemptKey, output: OutputFiles): void;
  /** Nothing more will be written: the rest goes out, and the end with the hash of all. */
  ended(key: AttemptKey): void;
  /** Resolves when the control plane has everything, or wants no more of it: the files may go. At once for what is not watched. */
  shipped(key: AttemptKey): Promise<void>;
  /** For beats and `debug`: how many attempts have output that is not shipped, and how much. */
  readonly figures: {
    readonly attempts: number;
    readonly unshippedBytes: number;
    /** Why the last try to ship failed; empty when all is well. */
    readonly trouble: string;
  };
  /** Ends the stream; what is not shipped stays in the files. */
  stop(): Promise<void>;
}

export interface OutputFiles {
  /** Paths of the two files; beside each stands its `.shipped`, with what has been freed. */
  readonly out: string;
  readonly err: string;
  /** Undefined when they are lost (the host was restarted, and tmpfs with it): then nothing more can be shown. */
  readonly hide: readonly string[] | undefined;
}

/** Opens the Logs stream, on a connection apart from Control's. Ends or throws when it is lost; shipping opens the next one. */
export type OpenLogsStream = (
  requests: AsyncIterable<LogsRequest>,
  signal: AbortSignal,
) => AsyncIterable<LogsResponse>;

export interface ShippingOptions {
  readonly stream: OpenLogsStream;
  readonly holdBack: HoldBack;
  readonly limits?: Partial<ShippingLimits>;
}

export interface ShippingLimits {
  /** Of one stream of an attempt that are shipped; then only its last bytes. */
  readonly capBytes: number;
  /** Of one stream that may wait on disk for a control plane that is away; then the oldest go. */
  readonly waitingBytes: number;
  /** So far a body may be ahead of what is taken of a stream; then it is held back. */
  readonly aheadBytes: number;
  /** On the way and not acknowledged, of all attempts; of one stream a quarter of it. Packed; four times as much before it was. */
  readonly windowBytes: number;
}

const usualLimits: ShippingLimits = {
  capBytes: 1024 ** 3,
  waitingBytes: 256 * 1024 ** 2,
  aheadBytes: 64 * 1024 ** 2,
  windowBytes: 8 * 1024 ** 2,
};
/**
 * Of output in one message, before it is packed: what is taken in 20 ms. The work on a message is done in one go at
 * both ends, and whoever else wants a core waits for it: when little is taken, many small ones disturb less than few large ones.
 */
const messageBytes = { least: pieceBytes, most: 4 * pieceBytes };
const messageMs = 20;
const longestPauseMs = 5000;
const idleMs = 1000;
/** How often what waits is looked at, which bounds what a body writes beyond what may wait. */
const trimMs = 500;

interface Watched {
  readonly lanes: readonly Lane[];
  readonly shipped: PromiseWithResolvers<void>;
}

export function openShipping(options: ShippingOptions): Shipping {
  const limits = { ...usualLimits, ...options.limits };
  // What waits behind it is a neighbour's line: a flood of one letter is packed to nothing, and taken no faster.
  const window: OnTheWay = { packed: limits.windowBytes, raw: 4 * limits.windowBytes };
  const scratch = Buffer.allocUnsafe(pieceBytes);
  const attempts = new Map<string, Watched>();
  const holding = openHolding(
    () => lanes,
    Math.min(limits.aheadBytes, limits.waitingBytes / 2),
    options.holdBack,
  );
  const stopping = new AbortController();
  let lanes: Lane[] = [];
  let trouble = "";
  let wake = () => {};
  let turn: Promise<unknown> = Promise.resolve();
  let trimming: NodeJS.Timeout | undefined;
  /** How much fits into a message now. */
  let room = messageBytes.least;

  /** A piece of each stream in turn, so that a flood is one among many, until the message or the window is full. */
  async function gather(): Promise<LogChunk[]> {
    const chunks: LogChunk[] = [];
    holding.tend();
    let bytes = 0;
    const onTheWay = {
      packed: lanes.reduce((sum, lane) => sum + lane.onTheWay.packed, 0),
      raw: lanes.reduce((sum, lane) => sum + lane.onTheWay.raw, 0),
    };
    for (let found = true; found && bytes < room; ) {
      found = false;
      for (const lane of [...lanes]) {
        if (onTheWay.packed >= window.packed || onTheWay.raw >= window.raw || bytes >= room) break;
        if (lane.dueInMs > 0) continue;
        const chunk = await lane.next({ packed: window.packed / 4, raw: window.raw / 4 });
        if (chunk === undefined) continue;
        found = true;
        bytes += sizeOf(chunk);
        onTheWay.packed += chunk.data.length;
        onTheWay.raw += sizeOf(chunk);
        chunks.push(chunk);
      }
      // Whoever was first is last in the next round.
      const first = lanes.shift();
      if (first !== undefined) lanes.push(first);
    }
    return chunks;
  }

  /** The next message is half-way between this one and what fits by the time that this one took. */
  function fit(chunks: readonly LogChunk[], tookMs: number): void {
    const bytes = chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0);
    // One that was not full tells nothing: there was no more.
    if (bytes < room) return;
    const fitting = (bytes / Math.max(1, tookMs)) * messageMs;
    room = Math.min(messageBytes.most, Math.max(messageBytes.least, (room + fitting) / 2));
  }

  /** A lane is read by one at a time, also when the last connection's turn is still under way. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  }

  /** While nobody takes anything, or not enough, the disk must not fill. */
  async function trim(): Promise<void> {
    await inTurn(async () => {
      for (const lane of [...lanes]) await lane.trim();
    });
    trimming = lanes.length > 0 && !stopping.signal.aborted ? setTimeout(trim, trimMs).unref() : undefined;
  }

  async function* requests(signal: AbortSignal): AsyncGenerator<LogsRequest> {
    await inTurn(async () => {
      for (const lane of lanes) lane.again();
    });
    signal.addEventListener("abort", () => wake(), { once: true });
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const since = performance.now();
      const chunks = await inTurn(gather);
      if (chunks.length > 0) {
        yield create(LogsRequestSchema, { chunks });
        fit(chunks, performance.now() - since);
        continue;
      }
      const dueMs = Math.min(...lanes.map((lane) => lane.dueInMs), idleMs);
      const timer = setTimeout(resolve, Math.max(5, dueMs));
      await promise;
      clearTimeout(timer);
    }
  }

  function hear({ heard }: LogsResponse): void {
    holding.heard();
    for (const one of heard) {
      const watched = one.attempt && attempts.get(keyText(one.attempt));
      const lane = watched?.lanes.find(({ stream }) => stream === one.stream);
      if (watched === undefined || lane === undefined || one.attempt === undefined) continue;
      lane.hear(one);
      if (one.unwanted || watched.lanes.every(({ done }) => done)) forget(keyText(one.attempt), watched);
    }
    wake();
  }

  function forget(text: string, { lanes: gone, shipped }: Watched): void {
    attempts.delete(text);
    lanes = lanes.filter((lane) => !gone.includes(lane));
    // They may still be writing how far they came, beside files that may go afterwards.
    void Promise.allSettled(gone.map((lane) => lane.close())).then(() => shipped.resolve());
  }

  async function keepOpen(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const broken = new AbortController();
      const signal = AbortSignal.any([stopping.signal, broken.signal]);
      try {
        for await (const response of options.stream(requests(signal), signal)) {
          failures = 0;
          trouble = "";
          hear(response);
        }
      } catch (error) {
        trouble = error instanceof Error ? error.message : String(error);
      }
      broken.abort();
      const pauseMs = Math.min(longestPauseMs, 50 * 2 ** failures++) * (0.5 + Math.random());
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const running = keepOpen();
  return {
    watch(key, { out, err, hide }) {
      if (attempts.has(keyText(key))) return;
      const mask = hide && openMask(sharedFinder(hide));
      const of = (stream: LogStream, file: string) =>
        openLane({ key, stream, output: { file, mask, limits, isTaken: () => holding.isTaken, scratch } });
      const own = [of(LogStream.STDOUT, out), of(LogStream.STDERR, err)];
      attempts.set(keyText(key), { lanes: own, shipped: Promise.withResolvers() });
      lanes.push(...own);
      trimming ??= setTimeout(trim, trimMs).unref();
      wake();
    },
    ended(key) {
      for (const lane of attempts.get(keyText(key))?.lanes ?? []) lane.end();
      wake();
    },
    async shipped(key) {
      await attempts.get(keyText(key))?.shipped.promise;
    },
    get figures() {
      const failing = lanes.find((lane) => lane.trouble !== "")?.trouble ?? "";
      const unshippedBytes = lanes.reduce((sum, lane) => sum + lane.unshippedBytes, 0);
      return { attempts: attempts.size, unshippedBytes, trouble: trouble || failing };
    },
    async stop() {
      stopping.abort();
      clearTimeout(trimming);
      holding.release();
      await Promise.all([running, turn]);
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** Of the output in it, before it was packed. */
function sizeOf({ length, data }: LogChunk): number {
  return length || data.length;
}
