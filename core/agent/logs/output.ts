import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { streamHash } from "./hash.ts";
import type { Mask, Masking } from "./mask.ts";
import { pack } from "./pack.ts";
import { type Hole, type KeptPlace, type Place, readPlace } from "./place.ts";
import { openShipped } from "./shipped.ts";

/** A piece of a stream on its way. It is kept until the control plane has it. */
export interface Piece {
  readonly offset: number;
  readonly data: Uint8Array;
  /** Of the data before it was packed; 0 when it is not. */
  readonly length: number;
  /** Why bytes are missing before it, if any are. */
  readonly gap: string;
  readonly endSha256?: Uint8Array;
  /** Where the stream is after this piece. */
  readonly after: Place;
}

/** One stream of an attempt: what its file holds, masked, piece by piece. To be asked for one thing at a time. */
export interface Output {
  /** The next piece; undefined when there is none for now. */
  take(): Promise<Piece | undefined>;
  /** Leaves out what may not wait, though nobody asks for the next piece. */
  trim(): Promise<void>;
  /** The control plane has everything up to this place: its bytes are freed now and then. */
  has(place: Place): void;
  /** Nothing more will be written. */
  end(): void;
  /** What had not been taken when it was last looked at. */
  readonly unshippedBytes: number;
  /** What the file holds at this moment and has not been taken. */
  readonly aheadBytes: number;
  close(): Promise<void>;
}

export interface OutputOptions {
  readonly file: string;
  /** Undefined when what to mask is not known any more. */
  readonly mask: Mask | undefined;
  readonly limits: { readonly capBytes: number; readonly waitingBytes: number };
  /** Whether the control plane takes what is shipped: then what is in the file goes as soon as it can, and may be more. */
  readonly isTaken: () => boolean;
  /** What is read stands here until the piece is made of it; all streams share it, as they are read one after the other. */
  readonly scratch: Buffer;
}

/** As much as is read, and sent, of a stream at once. */
export const pieceBytes = 256 * 1024;
/** The end of a log says why a step failed, so it is kept also of one that is over its cap. */
const lastBytes = 64 * 1024;
/** Over the cap, so much comes together before it is left out. */
const skipStepBytes = 8 * 1024 * 1024;
/** So often, which bounds how fast a body goes on that is held back: see holding.ts. */
const skipEveryMs = 2000;
const nothing = Buffer.alloc(0);

export async function openOutput({ file, mask, limits, isTaken, scratch }: OutputOptions): Promise<Output> {
  const hash = await streamHash();
  const found = await readPlace(`${file}.shipped`);
  const first: KeptPlace = found ?? {
    offset: 0,
    raw: 0,
    shipped: 0,
    hash: hash.empty,
    cuts: 0,
    gap: "",
    holes: [],
  };
  let place: Place = first;
  const shipped = openShipped(file, mask?.longest ?? 0, first);
  /** Left out before a restart. What is before them was on its way then, and is read again. */
  let ahead = first.holes;
  let gap = found === undefined ? "" : found.gap || "the agent was restarted and had it no more";
  let size = place.raw;
  /** How far the file has been read; what may begin a text to hide waits in `masking`. */
  let read = place.raw;
  let masking: Masking | undefined;
  let handle: FileHandle | undefined;
  let skipAt = 0;
  let state: "open" | "ending" | "ended" | "told" = "open";

  async function look(): Promise<void> {
    // On this thread: it takes a twentieth of what it takes to ask another one, and is done of every stream again and again.
    size = statSync(file, { throwIfNoEntry: false })?.size ?? read;
    if (size >= read) return;
    // The body has cut its own file short, as `> /dev/stderr` does: what is in it now follows what was there.
    ahead = [];
    goOn({ ...place, raw: 0, cuts: place.cuts + 1, gap: "the body has cut its output short" });
    await shipped.leap(place);
  }

  function goOn(from: Place): void {
    place = from;
    read = from.raw;
    masking = undefined;
  }

  async function readInto(buffer: Buffer, from: number, length: number): Promise<Buffer> {
    handle ??= await open(file, "r");
    const { bytesRead } = await handle.read(buffer, 0, Math.min(length, buffer.length), from);
    return buffer.subarray(0, bytesRead);
  }

  async function begin(known: Mask): Promise<Masking> {
    const length = Math.min(place.raw, known.longest);
    return known.begin(await readInto(Buffer.alloc(length), place.raw - length, length));
  }

  /** What is to be left out now, if anything. */
  function toSkip(): { raw: number; why: string } | undefined {
    const unread = size - (ahead.at(-1)?.to ?? place.raw);
    if (mask === undefined)
      return unread > 0
        ? { raw: size, why: "what to hide in it was lost when the host was restarted" }
        : undefined;
    if (place.shipped >= limits.capBytes) {
      const isDue = state !== "open" || (unread > skipStepBytes && performance.now() >= skipAt);
      if (!isDue || unread <= lastBytes) return undefined;
      skipAt = performance.now() + skipEveryMs;
      return { raw: size - lastBytes, why: `the log is over its cap of ${limits.capBytes} bytes` };
    }
    const most = isTaken() ? Math.max(limits.waitingBytes, limits.capBytes) : limits.waitingBytes;
    if (unread <= most) return undefined;
    return { raw: size - Math.floor(most / 2), why: `over ${most} bytes waited for the control plane` };
  }

  /** Leaves out what is too much; the next piece says so. What is left out after a hole that is still ahead makes that larger. */
  async function skip(): Promise<void> {
    const much = toSkip();
    if (much === undefined) return;
    const hole = { from: ahead.at(-1)?.from ?? place.raw, to: much.raw, why: much.why };
    ahead = [...ahead.slice(0, -1), hole];
    await shipped.leave(hole);
  }

  /** Whether it has come to a hole, and is behind it now. */
  function passed(): boolean {
    const [hole] = ahead;
    // Where nothing may be shown any more, what is before it cannot be read again.
    if (hole === undefined || (mask !== undefined && place.raw < hole.from)) return false;
    ahead = ahead.slice(1);
    goOn({ ...place, offset: place.offset + hole.to - place.raw, raw: hole.to });
    gap = hole.why;
    return true;
  }

  /** As much as is decided, and before the next hole. */
  async function readOn(known: Mask, hole: Hole | undefined): Promise<Buffer> {
    masking ??= await begin(known);
    const until = hole === undefined ? size : Math.min(size, hole.from + known.longest);
    const bytes = await readInto(scratch, read, until - read);
    read += bytes.length;
    const data = masking.push(bytes);
    return hole === undefined ? data : data.subarray(0, hole.from - place.raw);
  }

  function piece(bytes: Buffer): Piece {
    const { offset } = place;
    place = {
      ...place,
      offset: offset + bytes.length,
      raw: place.raw + bytes.length,
      shipped: place.shipped + bytes.length,
      hash: bytes.length === 0 ? place.hash : hash.after(place.hash, bytes),
      gap: "",
    };
    const made = { offset, ...pack(bytes), gap, after: place };
    gap = "";
    if (state !== "ended" || place.raw < size) return made;
    state = "told";
    return { ...made, endSha256: hash.digest(place.hash) };
  }

  return {
    get unshippedBytes() {
      return size - place.raw;
    },
    get aheadBytes() {
      return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - place.raw;
    },
    async take() {
      if (state === "told") return undefined;
      await look();
      if (state === "ending") state = "ended";
      await skip();
      if (passed()) return piece(nothing);
      const [hole] = ahead;
      // What is before a hole was taken once, so it is taken again.
      const full = hole === undefined && place.shipped >= limits.capBytes && state === "open";
      if (mask !== undefined && !full && size > read) {
        const data = await readOn(mask, hole);
        if (data.length > 0) return piece(data);
      }
      if (state !== "ended" || read < size) return undefined;
      return piece(masking?.flush() ?? nothing);
    },
    async trim() {
      if (state === "told") return;
      await look();
      await skip();
      passed();
    },
    has(reached) {
      void shipped.reach(reached);
    },
    end() {
      if (state === "open") state = "ending";
    },
    async close() {
      await shipped.settled();
      await handle?.close();
    },
  };
}
