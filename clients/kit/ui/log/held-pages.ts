import type { LogLine, LogPage } from "@reeve/model";

/** A page of a log and the number of its first line; `live` is its text when it was heard rather than read. */
export interface HeldPage {
  readonly page: LogPage;
  readonly first: number;
  live?: LogLine[];
}

/** The page in which a line stands; pages without lines are passed over. */
export function pageAtLine(pages: readonly HeldPage[], line: number): HeldPage | undefined {
  return firstWhere(pages, ({ first, page }) => first + page.lines > line);
}

export function pageAtChunk(pages: readonly HeldPage[], chunk: number): HeldPage | undefined {
  return firstWhere(pages, ({ page }) => page.to >= chunk);
}

export function countLines(pages: readonly HeldPage[]): number {
  const last = pages.at(-1);
  return last === undefined ? 0 : last.first + last.page.lines;
}

/** By halves: the test must hold from one page on. */
function firstWhere(pages: readonly HeldPage[], holds: (page: HeldPage) => boolean): HeldPage | undefined {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(pages[middle] as HeldPage)) high = middle;
    else low = middle + 1;
  }
  return pages[low];
}
