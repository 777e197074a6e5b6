import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Sql } from "@reeve/store";
import { readLastChunks, readLoggedAttempts, unpack } from "@reeve/store/logs";

const shownLines = 5;
const shownChars = 200;
const chunksRead = 8;
/** Output comes by another way than the end of its step, and may come a little later. */
const patienceMs = 5000;
const askAgainMs = 250;

/** The last lines of an attempt's output, for people who are told of its end. Agents have masked secrets before they sent it. */
export async function lastLines(
  sql: Sql,
  at: { readonly run: string; readonly seq: number; readonly epoch: number },
): Promise<string[]> {
  for (let waitedMs = 0; waitedMs < patienceMs && !(await isWhole(sql, at)); waitedMs += askAgainMs)
    await sleep(askAgainMs);
  const chunks = await readLastChunks(sql, at, chunksRead);
  const text = chunks
    .map(({ data, packed, length }) => (data && packed ? unpack(data, length) : data)?.toString("utf8") ?? "")
    .join("");
  return stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(-shownLines)
    .map((line) => (line.length > shownChars ? `${line.slice(0, shownChars)}…` : line));
}

/** Everything has come, or nobody is there to send more. */
async function isWhole(sql: Sql, { run, seq, epoch }: Parameters<typeof lastLines>[1]): Promise<boolean> {
  const attempt = (await readLoggedAttempts(sql, run, seq)).find((one) => one.epoch === epoch);
  if (attempt === undefined) return false;
  return !attempt.reachable || (attempt.outSha256 !== null && attempt.errSha256 !== null);
}
