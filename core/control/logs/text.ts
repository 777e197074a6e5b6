import { type LogSource, openLogLines } from "@reeve/model";
import { lostText } from "./lost.ts";
import type { LogPart } from "./read.ts";

type Log = AsyncIterable<LogPart[]>;
/** Asked when all that is there was told. */
type Lost = () => Promise<readonly LogSource[]>;

/** A log for people: bytes as they are, and a line of our own where some are missing or may follow. */
export async function* plainText(log: Log, lost: Lost): AsyncGenerator<Uint8Array> {
  for await (const parts of log)
    for (const { bytes, gap, length } of parts)
      yield gap === null ? bytes : Buffer.from(`\n${missingText(length, gap)}\n`);
  for (const _ of await lost()) yield Buffer.from(`\n${ourText(lostText)}\n`);
}

/** Exactly the bytes there are. */
export async function* rawBytes(log: Log): AsyncGenerator<Uint8Array> {
  for await (const parts of log) for (const { bytes } of parts) if (bytes.length > 0) yield bytes;
}

/** A whole run's log: every line under the name of its step. */
export async function* namedLines(log: Log, lost: Lost): AsyncGenerator<Uint8Array> {
  const lines = openLogLines();
  const names = new Map<string, string>();
  for await (const parts of log) {
    const text: string[] = [];
    for (const { source, bytes, gap, length } of parts) {
      const key = `${source.seq} ${source.attempt} ${source.stream}`;
      names.set(key, nameOf(source));
      const found = gap === null ? lines.push(key, bytes) : [missingText(length, gap)];
      for (const line of found) text.push(`${nameOf(source)} | ${line}\n`);
    }
    if (text.length > 0) yield Buffer.from(text.join(""));
  }
  for (const { key, line } of lines.rest()) yield Buffer.from(`${names.get(key)} | ${line}\n`);
  for (const source of await lost()) yield Buffer.from(`${nameOf(source)} | ${ourText(lostText)}\n`);
}

function nameOf({ step, attempt }: LogSource): string {
  return attempt > 1 ? `${step} (attempt ${attempt})` : step;
}

function missingText(length: number, why: string): string {
  return ourText(`${length} bytes are missing: ${why}`);
}

function ourText(words: string): string {
  return `[reeve: ${words}]`;
}
