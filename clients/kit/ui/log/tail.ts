import { type LogChunk, type LogLine, type LogPages, logSourceKey, openLogPages } from "@reeve/model";
import { countLines, type HeldPage } from "./held-pages.ts";

/** The text of so many lines that were heard is kept; older ones are read again when they are looked at. */
const mostLive = 20_000;
const shownBytes = 16_384;

/** Appends what comes to the pages of a log. */
export interface Tail {
  /** Also tells of a line that goes on and whose text is not here. */
  push(chunk: LogChunk, gap?: { readonly length: number; readonly why: string }): string | undefined;
}

interface Growing {
  readonly held: HeldPage;
  readonly at: number;
  bytes: Uint8Array;
}

export function openTail(pages: HeldPage[], from: { after: number; open: readonly string[] }): Tail {
  const counting: LogPages = openLogPages(from);
  const growing = new Map<string, Growing>();
  const live: HeldPage[] = [];

  function heldOf(page: HeldPage["page"]): HeldPage {
    const last = pages.at(-1);
    if (last?.page === page) return last;
    // Its lines are counted already, so it begins where the one before ends.
    const held = { page, first: countLines(pages), live: [] };
    pages.push(held);
    live.push(held);
    for (
      let kept = live.reduce((sum, one) => sum + one.page.lines, 0);
      kept > mostLive && live.length > 1;
    ) {
      const oldest = live.shift() as HeldPage;
      delete oldest.live;
      kept -= oldest.page.lines;
    }
    return held;
  }

  return {
    push(chunk, gap) {
      const { source, at, bytes } = chunk;
      const key = logSourceKey(source);
      const { starts, page } = counting.push(chunk);
      const held = heldOf(page);
      const lines = held.live ?? [];
      const first = starts[0] ?? bytes.length;
      const before = growing.get(key);
      if (first > 0 && !chunk.isGap && before !== undefined) grow(before, bytes.subarray(0, first));
      if (starts.length > 0 || !counting.open.includes(key)) growing.delete(key);
      starts.forEach((start, index) => {
        const text = bytes.subarray(start, starts[index + 1] ?? bytes.length);
        const offset = chunk.offset + start;
        lines.push(
          gap === undefined
            ? { ...source, offset, at, ...shown(text) }
            : { ...source, offset, at, text: gap.why, gap: gap.length },
        );
        if (index === starts.length - 1 && counting.open.includes(key))
          growing.set(key, { held, at: lines.length - 1, bytes: text });
      });
      return first > 0 && !chunk.isGap && before === undefined ? key : undefined;
    },
  };
}

function grow(line: Growing, more: Uint8Array): void {
  if (line.bytes.length > shownBytes) return;
  const bytes = new Uint8Array(line.bytes.length + more.length);
  bytes.set(line.bytes);
  bytes.set(more, line.bytes.length);
  line.bytes = bytes;
  const known = line.held.live?.[line.at];
  if (line.held.live !== undefined && known !== undefined)
    line.held.live[line.at] = { ...known, ...shown(bytes) };
}

const decoder = new TextDecoder();

function shown(bytes: Uint8Array): Pick<LogLine, "text" | "cut"> {
  const text = decoder.decode(bytes.subarray(0, shownBytes)).replace(/\r?\n$/, "");
  return bytes.length > shownBytes ? { text, cut: true } : { text };
}
