import { type LogPage, openLogPages } from "@reeve/model";
import { type LogPlaces, type LogQuery, readLog } from "./read.ts";
import type { Sources } from "./sources.ts";

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
  const counting = openLogPages({ after: 0, open: [] });
  let after = 0;
  let last: LogPage | undefined;
  for await (const parts of readLog(places, sources, query)) {
    const pages: LogPage[] = [];
    for (const { number, source, offset, bytes, gap, at } of parts) {
      const { page, full } = counting.push({ chunk: number, source, offset, at, bytes, isGap: gap !== null });
      if (full) pages.push(page);
      last = full ? undefined : page;
      after = number;
    }
    if (pages.length > 0) yield { pages };
  }
  yield { pages: last === undefined ? [] : [last], end: { after, open: counting.open } };
}
