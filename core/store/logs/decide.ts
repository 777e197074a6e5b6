import type { LogStreamName } from "@reeve/model";
import { unpack } from "./pack.ts";

/** How far the streams of an attempt have come; changed by `decideChunk`. */
export interface AttemptLog {
  readonly agent: string;
  outBytes: number;
  errBytes: number;
  outSha256: Buffer | null;
  errSha256: Buffer | null;
  changed?: boolean;
}

export interface NewChunk {
  readonly stream: LogStreamName;
  readonly offset: number;
  readonly data: Uint8Array;
  /** Of the data before it was packed, when it is. */
  readonly unpacked?: number | undefined;
  /** Why bytes are missing before it; empty when none are. */
  readonly gap: string;
  /** Of the whole stream, when it ends with this chunk. */
  readonly endSha256?: Uint8Array | undefined;
}

/** A row of log_chunk: bytes, or a gap. */
export interface ChunkRow {
  readonly offset: number;
  readonly length: number;
  readonly packed: boolean;
  readonly data: Uint8Array | null;
  readonly gap: string | null;
}

/**
 * What a chunk adds to its stream. Nothing, when it is there already or the stream has ended; only its new part, when it
 * overlaps; nothing either when bytes before it are missing and it does not say why: the agent hears where to go on.
 */
export function decideChunk(
  attempt: AttemptLog,
  chunk: NewChunk,
): { rows: ChunkRow[]; durable: number; ended: boolean } {
  const bytes = chunk.stream === "stdout" ? "outBytes" : "errBytes";
  const sha256 = chunk.stream === "stdout" ? "outSha256" : "errSha256";
  const before = attempt[bytes];
  const missing = chunk.offset - before;
  if (attempt[sha256] !== null || (missing > 0 && chunk.gap === ""))
    return { rows: [], durable: before, ended: attempt[sha256] !== null };
  const rows: ChunkRow[] = [];
  if (missing > 0) rows.push({ offset: before, length: missing, packed: false, data: null, gap: chunk.gap });
  const known = Math.max(0, -missing);
  const length = lengthOf(chunk);
  if (length > known)
    rows.push({
      offset: chunk.offset + known,
      length: length - known,
      packed: chunk.unpacked !== undefined && known === 0,
      data: known === 0 ? chunk.data : withoutKnown(chunk, known),
      gap: null,
    });
  attempt[bytes] = Math.max(before, chunk.offset + length);
  // An end that is before what is durable would be another stream's: it is not believed.
  if (chunk.endSha256 !== undefined && chunk.offset + length === attempt[bytes])
    attempt[sha256] = Buffer.from(chunk.endSha256);
  const ended = attempt[sha256] !== null;
  if (rows.length > 0 || ended) attempt.changed = true;
  return { rows, durable: attempt[bytes], ended };
}

/** How much of the stream it is. */
export function lengthOf({ data, unpacked }: Pick<NewChunk, "data" | "unpacked">): number {
  return unpacked ?? data.length;
}

function withoutKnown({ data, unpacked }: NewChunk, known: number): Uint8Array {
  const bytes = unpacked === undefined ? data : unpack(data, unpacked);
  return bytes?.subarray(known) ?? new Uint8Array();
}

export function attemptText({ run, seq, epoch }: { run: string; seq: number; epoch: number }): string {
  return `${run} ${seq} ${epoch}`;
}
