import { type LogPage, lineStarts, logSourceKey } from "@reeve/model";
import { type LogPlaces, type LogQuery, readLog } from "./read.ts";
import type { Sources } from "./sources.ts";

/** A page is what a viewer reads at once. */
const pageBytes = 256 * 1024;
const pageLines = 5000;
const pageChunks = 200;

/** How the index ends: where following goes on, and of which sources the last line is still open there. */
export interface IndexEnd {
  readonly after: number;
  readonly open: readonly string[];
}

/** What there is of a log by now, as pages with the number of their lines. Every byte is looked at, none is kept. */
export async function* indexLog(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery,
): AsyncGenerator<{ pages: LogPage[]; end?: IndexEnd }> {
  const inLine = new Set<string>();
  let after = 0;
  let page: Counting | undefined;
  for await (const parts of readLog(places, sources, query)) {
    const pages: LogPage[] = [];
    for (const { number, source, bytes, gap, at } of parts) {
      page ??= { after, to: after, lines: 0, at, open: [], bytes: 0, chunks: 0, seen: new Set() };
      const key = logSourceKey(source);
      if (gap === null && inLine.has(key) && !page.seen.has(key)) page.open.push(key);
      page.seen.add(key);
      const { starts, open } = gap === null ? lineStarts(bytes, inLine.has(key)) : gapLine;
      if (open) inLine.add(key);
      else inLine.delete(key);
      page.lines += starts.length;
      page.bytes += bytes.length;
      page.chunks++;
      page.to = after = number;
      if (page.bytes < pageBytes && page.lines < pageLines && page.chunks < pageChunks) continue;
      pages.push(shown(page));
      page = undefined;
    }
    if (pages.length > 0) yield { pages };
  }
  yield { pages: page === undefined ? [] : [shown(page)], end: { after, open: [...inLine] } };
}

/** What is missing takes a line, and ends the one it is in. */
const gapLine = { starts: [0], open: false };

interface Counting extends LogPage {
  to: number;
  lines: number;
  readonly open: string[];
  bytes: number;
  chunks: number;
  readonly seen: Set<string>;
}

function shown({ after, to, lines, at, open }: Counting): LogPage {
  return { after, to, lines, at, open };
}
