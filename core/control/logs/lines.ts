import { type LogLine, lineStarts, logSourceKey } from "@reeve/model";
import { type LogPart, type LogPlaces, type LogQuery, readLog } from "./read.ts";
import type { Sources } from "./sources.ts";

/** Which lines: of the chunks of a page, those from one on. */
export interface LinesAsked {
  readonly after: number;
  readonly to: number;
  /** Of these sources a line from before goes on. */
  readonly open: readonly string[];
  readonly skip: number;
  readonly limit: number;
}

/** Of a longer line only the beginning is shown. */
const shownBytes = 16_384;
/** The rest of a line is looked for in so many of the chunks that came after. */
const chunksAhead = 2000;

interface Begun {
  readonly part: LogPart;
  readonly offset: number;
  readonly bytes: Buffer[];
  length: number;
}

/** The lines that begin in these chunks, each with what came of it later. */
export async function readLines(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery,
  { after, to, open, skip, limit }: LinesAsked,
): Promise<LogLine[]> {
  const inLine = new Set(open);
  const begun: Begun[] = [];
  const growing = new Map<string, Begun>();
  let count = 0;
  const begin = (part: LogPart, at: number, end: number): Begun | undefined => {
    const place = count++;
    if (place < skip || place >= skip + limit) return undefined;
    const line = { part, offset: part.offset + at, bytes: [], length: 0 };
    grow(line, part.bytes.subarray(at, end));
    begun.push(line);
    return line;
  };
  for await (const parts of readLog(places, sources, { ...query, to }, after))
    for (const part of parts) {
      const key = logSourceKey(part.source);
      const { starts, open: stays } =
        part.gap === null ? lineStarts(part.bytes, inLine.has(key)) : { starts: [0], open: false };
      const before = growing.get(key);
      if (before !== undefined && part.gap === null) grow(before, part.bytes.subarray(0, starts[0]));
      let last = starts.length === 0 && stays ? before : undefined;
      starts.forEach((at, index) => {
        last = begin(part, at, starts[index + 1] ?? part.bytes.length);
      });
      if (stays) inLine.add(key);
      else inLine.delete(key);
      if (stays && last !== undefined) growing.set(key, last);
      else growing.delete(key);
    }
  if (growing.size > 0) await growOn(places, sources, query, to, growing);
  return begun.map(shown);
}

/** What came after the page of lines that were open at its end. */
async function growOn(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery,
  to: number,
  growing: ReadonlyMap<string, Begun>,
): Promise<void> {
  const attempts = await sources.refresh();
  for (const line of growing.values()) {
    const { source, epoch } = line.part;
    const { seq, stream } = source;
    const offset = line.offset + line.length;
    const attempt = attempts.find((one) => one.seq === seq && one.epoch === epoch);
    const bytes = stream === "stdout" ? attempt?.outBytes : attempt?.errBytes;
    if (bytes === undefined || bytes <= offset) continue;
    const rest = { run: query.run, seq, epoch, stream, offset, to: to + chunksAhead };
    reading: for await (const parts of readLog(places, sources, rest, to))
      for (const part of parts) {
        if (part.gap !== null) break reading;
        const [end] = lineStarts(part.bytes, true).starts;
        grow(line, part.bytes.subarray(0, end));
        if (part.bytes.includes(newline) || line.length > shownBytes) break reading;
      }
  }
}

const newline = 10;

function grow(line: Begun, bytes: Buffer): void {
  if (line.length <= shownBytes) line.bytes.push(bytes.subarray(0, shownBytes + 1));
  line.length += bytes.length;
}

function shown({ part, offset, bytes }: Begun): LogLine {
  const { source, at, gap, length } = part;
  if (gap !== null) return { ...source, offset, at, text: gap, gap: length };
  const all = Buffer.concat(bytes);
  const text = all
    .subarray(0, shownBytes)
    .toString()
    .replace(/\r?\n$/, "");
  return { ...source, offset, at, text, ...(all.length > shownBytes && { cut: true }) };
}
