import { statSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { type LogChunk, LogChunkSchema, type LogHeard, type LogStream } from "@reeve/protocol/agent";
import type { AttemptKey } from "../attempt-key.ts";
import { type Output, type OutputOptions, openOutput, type Piece } from "./output.ts";

/** One stream's way: what of it is on the way, and when to look for more. */
export interface Lane {
  readonly key: AttemptKey;
  readonly stream: LogStream;
  /** The next chunk to send, when it is due: again what was on a lost connection, then what is new. Undefined when there is none. */
  next(most: OnTheWay): Promise<LogChunk | undefined>;
  /** The connection is a new one: what was on the way is sent again. */
  again(): void;
  hear(heard: LogHeard): void;
  /** Gives room on the disk back when more waits than may. Not while another one reads. */
  trim(): Promise<void>;
  /** Nothing more will be written. */
  end(): void;
  /** When there is something to send again, or the file is to be looked at. */
  readonly dueInMs: number;
  readonly onTheWay: OnTheWay;
  readonly unshippedBytes: number;
  /** What its file holds at this moment and has not been taken. */
  readonly aheadBytes: number;
  /** The control plane has all of it. */
  readonly done: boolean;
  readonly trouble: string;
  close(): Promise<void>;
}

/** What was sent on this connection and is not acknowledged, in bytes. */
export interface OnTheWay {
  readonly packed: number;
  /** Before it was packed: so the control plane counts what it takes, and so much of the file cannot be freed. */
  readonly raw: number;
}

const nothing: OnTheWay = { packed: 0, raw: 0 };

/** How often a file is looked at: often while it grows, seldom when it is quiet, so that hundreds of quiet ones cost nothing. */
const soonestMs = 30;
const latestMs = 1000;
/** Nobody waits for the end of a stream that says nothing: those of many steps go together, at whole multiples of this. */
const silentEndMs = 100;

export function openLane(options: { key: AttemptKey; stream: LogStream; output: OutputOptions }): Lane {
  const { key, stream } = options;
  let output: Output | undefined;
  let unheard: Piece[] = [];
  let sent = 0;
  let onTheWay = nothing;
  let durable = 0;
  let pauseMs = soonestMs;
  // What has just begun has written nothing.
  let lookAt = performance.now() + soonestMs;
  let ending = false;
  let done = false;
  let trouble = "";

  async function take(): Promise<Piece | undefined> {
    try {
      output ??= await openOutput(options.output);
      if (ending) output.end();
      let piece = await output.take();
      // After a restart of the agent: what the control plane has already, is only read again.
      while (piece !== undefined && piece.after.offset <= durable && !piece.endSha256) {
        output.has(piece.after);
        piece = await output.take();
      }
      trouble = "";
      return piece;
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
      pauseMs = latestMs;
      return undefined;
    }
  }

  function ship(piece: Piece): LogChunk {
    sent++;
    onTheWay = sumOf([piece], onTheWay);
    return chunkOf(piece);
  }

  function chunkOf({ offset, data, length, gap, endSha256 }: Piece): LogChunk {
    return create(LogChunkSchema, {
      attempt: key,
      stream,
      offset: BigInt(offset),
      data,
      length,
      gap,
      ...(endSha256 && { endSha256 }),
    });
  }

  return {
    key,
    stream,
    get dueInMs() {
      if (done) return Number.POSITIVE_INFINITY;
      return sent < unheard.length ? 0 : lookAt - performance.now();
    },
    get onTheWay() {
      return onTheWay;
    },
    get unshippedBytes() {
      return sumOf(unheard).packed + (output?.unshippedBytes ?? 0);
    },
    get aheadBytes() {
      return output?.aheadBytes ?? 0;
    },
    get done() {
      return done;
    },
    get trouble() {
      return trouble;
    },
    async next(most) {
      const old = unheard[sent];
      if (old !== undefined) return ship(old);
      const mostRaw = Math.min(most.raw, options.output.limits.waitingBytes / 2);
      if (onTheWay.packed >= most.packed || onTheWay.raw >= mostRaw) return undefined;
      const piece = await take();
      if (piece === undefined) {
        lookAt = performance.now() + pauseMs;
        pauseMs = Math.min(latestMs, pauseMs * 1.5);
        return undefined;
      }
      pauseMs = soonestMs;
      unheard.push(piece);
      // While it was read, all before it may have become due again: the control plane takes nothing behind a hole.
      return ship(unheard[sent] as Piece);
    },
    again() {
      sent = 0;
      onTheWay = nothing;
    },
    async trim() {
      const { file, limits } = options.output;
      if (done || (output?.aheadBytes ?? sizeOf(file)) <= limits.waitingBytes) return;
      try {
        output ??= await openOutput(options.output);
        await output.trim();
      } catch (error) {
        trouble = error instanceof Error ? error.message : String(error);
      }
    },
    hear(heard) {
      durable = Number(heard.durable);
      const kept = unheard.filter((piece) => piece.after.offset > durable || piece.endSha256 !== undefined);
      const last = unheard[unheard.length - kept.length - 1];
      sent = Math.max(0, sent - (unheard.length - kept.length));
      unheard = heard.ended ? [] : kept;
      onTheWay = sumOf(unheard.slice(0, sent));
      if (last !== undefined) output?.has(last.after);
      if (heard.ended) done = true;
      const [first] = unheard;
      if (first === undefined) return;
      if (first.after.offset < durable) {
        // The file has lost what had been shipped of it, as with the host's power: the stream ends where the control plane has it.
        const after = { ...first.after, offset: durable };
        unheard[0] = { ...first, offset: durable, data: new Uint8Array(), length: 0, gap: "", after };
      } else if (first.offset > durable && first.gap === "") {
        // It was told to have what it has no more: a database that was restored from a backup.
        unheard[0] = { ...first, gap: "the control plane has lost it" };
      } else return;
      sent = 0;
      onTheWay = nothing;
    },
    end() {
      ending = true;
      lookAt = sizeOf(options.output.file) === 0 ? nextMultiple(silentEndMs) : 0;
    },
    async close() {
      await output?.close();
    },
  };
}

function sumOf(pieces: readonly Piece[], { packed, raw } = nothing): OnTheWay {
  for (const { data, length } of pieces) {
    packed += data.length;
    raw += length || data.length;
  }
  return { packed, raw };
}

function nextMultiple(ms: number): number {
  return Math.ceil(performance.now() / ms) * ms;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
