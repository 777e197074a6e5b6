import type { JsonObject } from "./resource.ts";
import type { Scope } from "./scope.ts";

/** What is known of a terminal whose output was recorded. */
export interface RecordedTerminal {
  readonly id: string;
  /** Of the resource that it was a terminal of. */
  readonly scope: Scope;
  readonly kind: string;
  readonly name: string;
  readonly verb: string;
  readonly host: string;
  /** Who opened it. */
  readonly subject: string;
  /** What was asked for: its command, its container. */
  readonly detail: JsonObject;
  readonly at: string;
  readonly bytes: number;
}

/**
 * A recorded terminal in the format asciicast v2, which other players know too: a line of JSON that says how large it is, and one for
 * each thing that was shown.
 */
export interface CastHead {
  readonly width: number;
  readonly height: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly title: string;
}

/** What happened so many seconds after the beginning: something was shown, or its size became `80x24`. */
export type CastEvent = readonly [seconds: number, what: "o" | "r", data: string];

export interface Cast {
  readonly head: CastHead;
  readonly events: readonly CastEvent[];
}

export const castType = "application/x-asciicast";

export function castHeadLine({ width, height, timestamp, title }: CastHead): string {
  return `${JSON.stringify({ version: 2, width, height, timestamp, title })}\n`;
}

export function castLine([seconds, what, data]: CastEvent): string {
  return `${JSON.stringify([Math.round(seconds * 1000) / 1000, what, data])}\n`;
}

/** A last line that was cut off, which a recording of a lost server may have, is left out. */
export function readCast(text: string): Cast {
  const [first = "", ...rest] = text.split("\n");
  const head = JSON.parse(first) as CastHead & { version: number };
  if (head.version !== 2) throw new Error("this is not asciicast v2");
  const events = rest.filter((line) => line.endsWith("]")).map((line) => JSON.parse(line) as CastEvent);
  return { head, events };
}

/** `120x40` in rows and columns. */
export function castSize(data: string): { rows: number; columns: number } {
  const [columns = 80, rows = 24] = data.split("x").map(Number);
  return { rows, columns };
}

/** Nobody watches somebody think: what came later than this after the one before is shown after this long. */
const longestPauseSeconds = 2;

/** When each of them is shown, in seconds. */
export function castTimes(events: readonly CastEvent[]): number[] {
  let before = 0;
  let at = 0;
  return events.map(([seconds]) => {
    at += Math.min(Math.max(seconds - before, 0), longestPauseSeconds);
    before = seconds;
    return at;
  });
}
