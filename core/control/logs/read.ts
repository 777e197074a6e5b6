import type { LogSource, LogStreamName } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type LogChunkRow, readChunks, readRemoved, unpack } from "@reeve/store/logs";
import type { LogArchive } from "./archive.ts";
import type { Sources } from "./sources.ts";

/** Which part of a run's output is asked for. */
export interface LogQuery {
  readonly run: string;
  readonly seq?: number | undefined;
  readonly epoch?: number | undefined;
  readonly stream?: LogStreamName | undefined;
  readonly offset?: number | undefined;
  readonly since?: string | undefined;
  /** No chunk after this one. */
  readonly to?: number | undefined;
}

/** A chunk with its bytes as they were; `gap` says why they are missing instead. */
export interface LogPart {
  readonly number: number;
  readonly epoch: number;
  readonly source: LogSource;
  readonly offset: number;
  readonly length: number;
  readonly at: string;
  readonly bytes: Buffer;
  readonly gap: string | null;
}

/** Rows of up to 256 KB: a few MB at once. Of small rows, such as single lines that came one by one, more. */
const rowsAtOnce = 16;
const mostRows = 128;
const smallBytes = 1024 * 1024;
const nothing = Buffer.alloc(0);

/** Where output is: in the database, and what is no more there, in the archive. */
export interface LogPlaces {
  readonly database: Sql;
  readonly archive: Pick<LogArchive, "read"> | undefined;
}

/** Everything that is there after a chunk, in the order in which it came, a few parts at a time. */
export async function* readLog(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery,
  from = 0,
): AsyncGenerator<LogPart[]> {
  for await (const rows of pagesOf(places, query, from))
    yield await Promise.all(rows.map((row) => partOf(row, sources, query.offset ?? 0)));
}

async function* pagesOf(
  { database, archive }: LogPlaces,
  query: LogQuery,
  from: number,
): AsyncGenerator<LogChunkRow[]> {
  let after = from;
  if (archive !== undefined && (await readRemoved(database, query.run)) > after)
    for await (const row of archive.read(query.run, from)) {
      after = row.number;
      if (query.to !== undefined && after > query.to) return;
      if (isAsked(row, query)) yield [row];
    }
  for (let limit = rowsAtOnce; ; ) {
    const rows = await readChunks(database, { ...query, after, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.number;
    const bytes = rows.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    limit = bytes * 4 > smallBytes ? rowsAtOnce : Math.min(mostRows, limit * 4);
  }
}

function isAsked(row: LogChunkRow, { seq, epoch, stream, offset, since }: LogQuery): boolean {
  return (
    (seq === undefined || row.seq === seq) &&
    (epoch === undefined || row.epoch === epoch) &&
    (stream === undefined || row.stream === stream) &&
    (offset === undefined || row.offset + row.length > offset) &&
    (since === undefined || Date.parse(row.at) >= Date.parse(since))
  );
}

async function partOf(row: LogChunkRow, sources: Sources, from: number): Promise<LogPart> {
  const { number, epoch, offset, length, at, packed, data } = row;
  const source = await sources.of(row);
  const bytes = packed && data !== null ? unpack(data, length) : (data ?? nothing);
  const skipped = Math.max(0, from - offset);
  return {
    ...{ number, epoch, source, at, gap: bytes === undefined ? "the agent sent it damaged" : row.gap },
    offset: offset + skipped,
    length: length - skipped,
    bytes: bytes?.subarray(skipped) ?? nothing,
  };
}
