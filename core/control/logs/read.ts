import type { LogSource, LogStreamName } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type LogChunkRow, readChunks, unpack } from "@reeve/store/logs";
import type { Sources } from "./sources.ts";

/** Which part of a run's output is asked for. */
export interface LogQuery {
  readonly run: string;
  readonly seq?: number | undefined;
  readonly epoch?: number | undefined;
  readonly stream?: LogStreamName | undefined;
  readonly offset?: number | undefined;
  readonly since?: string | undefined;
}

/** A chunk with its bytes as they were; `gap` says why they are missing instead. */
export interface LogPart {
  readonly number: number;
  readonly source: LogSource;
  readonly offset: number;
  readonly length: number;
  readonly at: string;
  readonly bytes: Buffer;
  readonly gap: string | null;
}

/** Rows of up to 256 KB: a few MB at once. */
const rowsAtOnce = 16;
const nothing = Buffer.alloc(0);

/** The next parts after a chunk, in the order in which they came; none when there are no more for now. */
export async function readParts(
  sql: Sql,
  sources: Sources,
  query: LogQuery,
  after: number,
): Promise<LogPart[]> {
  const rows = await readChunks(sql, { ...query, after, limit: rowsAtOnce });
  return Promise.all(rows.map((row) => partOf(row, sources, query.offset ?? 0)));
}

/** Everything that is there. */
export async function* readLog(sql: Sql, sources: Sources, query: LogQuery): AsyncGenerator<LogPart[]> {
  for (let after = 0; ; ) {
    const parts = await readParts(sql, sources, query, after);
    const last = parts.at(-1);
    if (last === undefined) return;
    yield parts;
    after = last.number;
  }
}

async function partOf(row: LogChunkRow, sources: Sources, from: number): Promise<LogPart> {
  const { number, offset, length, at, packed, data } = row;
  const source = await sources.of(row);
  const bytes = packed && data !== null ? unpack(data, length) : (data ?? nothing);
  const skipped = Math.max(0, from - offset);
  return {
    ...{ number, source, at, gap: bytes === undefined ? "the agent sent it damaged" : row.gap },
    offset: offset + skipped,
    length: length - skipped,
    bytes: bytes?.subarray(skipped) ?? nothing,
  };
}
