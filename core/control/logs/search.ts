import type { LogMatch, LogSource } from "@reeve/model";
import { type LogPart, type LogPlaces, type LogQuery, readLog } from "./read.ts";
import type { Sources } from "./sources.ts";

/** Work of one call; what is left is for the next, which the token leads to. */
const searchBytes = 32 * 1024 * 1024;
const longestLine = 65_536;
const shownCharacters = 2000;
const newline = 10;

/** A line that a chunk has begun and not ended, and in which chunk that was. */
interface Open {
  readonly source: LogSource;
  bytes: Buffer;
  offset: number;
  number: number;
}

/** Where to go on: after this chunk, with lines that end after that one. A line may reach over several. */
export interface SearchPlace {
  readonly after: number;
  readonly done: number;
}

/** What is looked for: a text as it stands there, or whatever its case and colours, or what looks like an error. */
export type Wanted = { readonly text: string; readonly ignoreCase?: boolean } | "errors";

/** Lines that hold what is wanted, in the order in which they came. */
export async function searchLog(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery,
  search: { wanted: Wanted; limit: number; from: SearchPlace },
  mostBytes = searchBytes,
): Promise<{ items: LogMatch[]; next: SearchPlace | undefined }> {
  const finder = finderOf(search.wanted);
  const items: LogMatch[] = [];
  const open = new Map<string, Open>();
  let { after } = search.from;
  let searched = 0;
  let ended = true;
  for await (const parts of readLog(places, sources, query, after)) {
    for (const part of parts) {
      const found = matchesIn(part, open, finder);
      if (part.number > search.from.done) items.push(...found);
      searched += part.bytes.length;
      after = part.number;
    }
    ended = searched < mostBytes && items.length < search.limit;
    if (!ended) break;
  }
  // A line that is open since the page before is not waited for any longer: the next page must begin after this one's beginning.
  const given = (line: Open) => ended || line.number <= search.from.done;
  for (const { source, bytes, offset, number } of [...open.values()].filter(given))
    if (finder(bytes)(0) >= 0) items.push({ ...source, chunk: number, offset, line: shown(bytes) });
  if (ended) return { items, next: undefined };
  const waits = [...open.values()].filter((line) => !given(line));
  const first = waits.reduce((least, { number }) => Math.min(least, number), after + 1);
  return { items, next: { after: first - 1, done: after } };
}

function matchesIn(
  { source, bytes, offset, number, gap }: LogPart,
  open: Map<string, Open>,
  finder: Finder,
): LogMatch[] {
  const key = `${source.seq} ${source.attempt} ${source.stream}`;
  const before = open.get(key);
  open.delete(key);
  if (gap !== null) return [];
  const all = before === undefined ? bytes : Buffer.concat([before.bytes, bytes]);
  const begin = before?.offset ?? offset;
  const found: LogMatch[] = [];
  let at = 0;
  const find = finder(all);
  let hit = find(0);
  const lastEnd = all.lastIndexOf(newline);
  while (hit >= 0 && hit <= lastEnd) {
    at = all.lastIndexOf(newline, hit) + 1;
    const end = all.indexOf(newline, hit);
    const chunk = at === 0 ? (before?.number ?? number) : number;
    found.push({ ...source, chunk, offset: begin + at, line: shown(all.subarray(at, end)) });
    hit = find(end + 1);
  }
  const rest = all.subarray(lastEnd + 1);
  if (rest.length === 0) return found;
  // A line without an end is searched up to a length that fits in memory.
  const kept = rest.subarray(Math.max(0, rest.length - longestLine));
  const began = before !== undefined && lastEnd < 0 ? before.number : number;
  open.set(key, { source, bytes: kept, offset: begin + all.length - kept.length, number: began });
  return found;
}

type Finder = (bytes: Buffer) => (from: number) => number;

/** What a person reads as one text may change its colour in the middle, or begin with a colour. */
const colour = String.raw`\x1b\[[\d;]*m`;

/** As programs write them; a guess, for a person who looks. */
const errorNames = "error|err!|fatal|panic|exception|traceback|failed|failure|cannot|unable";
const errorWords = new RegExp(String.raw`(?:\b|(?<=${colour}))(?:${errorNames})\b`, "gi");

function finderOf(wanted: Wanted): Finder {
  const sought = Buffer.from(wanted === "errors" ? "" : wanted.text);
  if (wanted !== "errors" && !wanted.ignoreCase) return (bytes) => (from) => bytes.indexOf(sought, from);
  // One character for each byte, so that places in the text are places in the bytes.
  const characters = [...sought.toString("latin1")].map((one) => one.replace(/[^\w]/, "\\$&"));
  const pattern = wanted === "errors" ? errorWords : new RegExp(characters.join(`(?:${colour})*`), "gi");
  return (bytes) => {
    const text = bytes.toString("latin1");
    return (from) => {
      pattern.lastIndex = from;
      return pattern.exec(text)?.index ?? -1;
    };
  };
}

function shown(line: Buffer): string {
  return line.toString().replace(/\r$/, "").slice(0, shownCharacters);
}
