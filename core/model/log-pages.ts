import { type LogPage, type LogSource, logSourceKey } from "./log.ts";
import { lineStarts } from "./log-starts.ts";

/** What stands at one place of a log: bytes, or that some are missing. */
export interface LogChunk {
  readonly chunk: number;
  readonly source: LogSource;
  readonly offset: number;
  readonly at: string;
  readonly bytes: Uint8Array;
  readonly isGap: boolean;
}

/**
 * Counts the lines of chunks that come in their order, and makes pages of them. Servers count what is there and viewers what comes,
 * by the same rule, so that both mean the same line.
 */
export interface LogPages {
  /** Where lines begin in the chunk; the page that it is in, and whether that has all it can hold. */
  push(chunk: LogChunk): {
    readonly starts: readonly number[];
    readonly page: LogPage;
    readonly full: boolean;
  };
  /** The sources whose last line is open. */
  readonly open: readonly string[];
}

/** A page is what a viewer reads at once. */
const pageBytes = 256 * 1024;
const pageLines = 5000;
const pageChunks = 200;

export function openLogPages(from: { after: number; open: readonly string[] }): LogPages {
  const inLine = new Set(from.open);
  let { after } = from;
  let page: Page | undefined;
  let counted = { bytes: 0, chunks: 0, seen: new Set<string>() };
  return {
    push({ chunk, source, at, bytes, isGap }) {
      if (page === undefined) {
        page = { after, to: after, lines: 0, at, open: [] };
        counted = { bytes: 0, chunks: 0, seen: new Set() };
      }
      const key = logSourceKey(source);
      if (!isGap && inLine.has(key) && !counted.seen.has(key)) page.open.push(key);
      counted.seen.add(key);
      // What is missing takes a line, and ends the one it is in.
      const { starts, open } = isGap ? { starts: [0], open: false } : lineStarts(bytes, inLine.has(key));
      if (open) inLine.add(key);
      else inLine.delete(key);
      page.lines += starts.length;
      counted.bytes += bytes.length;
      counted.chunks++;
      page.to = after = chunk;
      const full = counted.bytes >= pageBytes || page.lines >= pageLines || counted.chunks >= pageChunks;
      const told = page;
      if (full) page = undefined;
      return { starts, page: told, full };
    },
    get open() {
      return [...inLine];
    },
  };
}

interface Page extends LogPage {
  to: number;
  lines: number;
  readonly open: string[];
}
