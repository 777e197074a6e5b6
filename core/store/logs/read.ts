import { itemSeqBase, type LogStreamName, type StepState } from "@reeve/model";
import { aboutOf, openersOf } from "../at-rest/at-rest.ts";
import { output } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";

/** A chunk as it is kept. */
export interface LogChunkRow {
  readonly seq: number;
  readonly epoch: number;
  readonly number: number;
  readonly stream: LogStreamName;
  readonly offset: number;
  readonly length: number;
  readonly packed: boolean;
  readonly data: Buffer | null;
  /** The data key that its bytes are sealed by; they are in clear when there is none. */
  readonly sealed?: string | null;
  readonly gap: string | null;
  readonly at: string;
}

export interface ChunkQuery {
  readonly run: string;
  readonly seq?: number | undefined;
  readonly epoch?: number | undefined;
  readonly stream?: LogStreamName | undefined;
  /** Only chunks after this one. */
  readonly after: number;
  /** No chunk after this one. */
  readonly to?: number | undefined;
  /** Only chunks with bytes at or after this offset. */
  readonly offset?: number | undefined;
  /** Only chunks that came at this time or later. */
  readonly since?: string | undefined;
  readonly limit: number;
}

/** Chunks of a run, in the order in which they came. */
export async function readChunks(sql: Sql, query: ChunkQuery): Promise<LogChunkRow[]> {
  return openChunks(sql, query.run, await readKeptChunks(sql, query));
}

/** The same as they are kept. */
export function readKeptChunks(sql: Sql, query: ChunkQuery): Promise<LogChunkRow[]> {
  const values: unknown[] = [query.run, query.after, query.limit];
  const terms = ["run = $1", "number > $2"];
  const term = (text: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    terms.push(text.replace("?", `$${values.length}`));
  };
  term("number <= ?", query.to);
  term("seq = ?", query.seq);
  term("epoch = ?", query.epoch);
  term("stream = ?", query.stream);
  term("begins + length > ?", query.offset);
  term("at >= ?", query.since);
  return sql.query<LogChunkRow>(
    `select seq, epoch, number, stream, begins as "offset", length, packed, data, sealed, gap, at from log_chunk
     where ${terms.join(" and ")} order by ${order(query)} limit $3`,
    values,
  );
}

/** Chunks with their bytes in clear: the same and at once, when none is sealed. */
export function openChunks<Row extends SealedChunk>(
  sql: Sql,
  run: string,
  rows: Row[],
): Row[] | Promise<Row[]> {
  return rows.some(({ sealed }) => sealed) ? openSealed(sql, run, rows) : rows;
}

type SealedChunk = Pick<LogChunkRow, "seq" | "epoch" | "number" | "data" | "sealed">;

async function openSealed<Row extends SealedChunk>(sql: Sql, run: string, rows: Row[]): Promise<Row[]> {
  const openers = await openersOf(
    sql,
    rows.flatMap(({ sealed }) => sealed ?? []),
  );
  return rows.map((row) => {
    const { seq, epoch, number, data, sealed } = row;
    const opener = openers.get(sealed ?? "");
    if (opener === undefined || data === null) return row;
    return { ...row, data: opener(aboutOf(output, [run, seq, epoch, number]), data), sealed: null };
  });
}

/** The last chunks of an attempt that hold output, in the order in which they came. */
export async function readLastChunks(
  sql: Sql,
  { run, seq, epoch }: { readonly run: string; readonly seq: number; readonly epoch: number },
  limit: number,
): Promise<Pick<LogChunkRow, "data" | "packed" | "length">[]> {
  const rows = await sql.query<SealedChunk & Pick<LogChunkRow, "packed" | "length">>(
    `select seq, epoch, number, data, sealed, packed, length from log_chunk where run = $1 and seq = $2 and epoch = $3 and data is not null
     order by run desc, seq desc, epoch desc, number desc limit $4`,
    [run, seq, epoch, limit],
  );
  return (await openChunks(sql, run, rows)).reverse();
}

/** By the primary key of an attempt, or by the order of the run: whichever index the terms lead to. */
function order({ seq, epoch }: ChunkQuery): string {
  return seq !== undefined && epoch !== undefined ? "run, seq, epoch, number" : "run, number";
}

/** An attempt with output, and what people must know to read it. */
export interface LoggedAttempt {
  readonly seq: number;
  readonly epoch: number;
  /** Place of the step in the graph, and of the first item when it is one of a fan-out. */
  readonly def: number;
  readonly firstItem: number | null;
  /** Which attempt of the step it is, from 1. */
  readonly attempt: number;
  readonly state: StepState | "lost" | "returned";
  /** Whether its agent may still send. */
  readonly reachable: boolean;
  readonly outBytes: number;
  readonly errBytes: number;
  readonly outSha256: Buffer | null;
  readonly errSha256: Buffer | null;
}

export function readLoggedAttempts(sql: Sql, run: string, seq?: number): Promise<LoggedAttempt[]> {
  return sql.query<LoggedAttempt>(
    `select l.seq, l.epoch, s.def, ${itemSeqBase} * (s.parent + 1) as "firstItem",
       coalesce(p.attempt, s.attempt) as attempt, coalesce(p.state, case when s.reason = 'lost' then 'lost' else s.state end) as state,
       coalesce(a.state, '') in ('connected', 'suspect') as reachable,
       l.out_bytes as "outBytes", l.err_bytes as "errBytes", l.out_sha256 as "outSha256", l.err_sha256 as "errSha256"
     from log_attempt l
     join step s on s.run = l.run and s.seq = l.seq
     left join step_attempt p on p.run = l.run and p.seq = l.seq and p.epoch = l.epoch
     left join agent a on a.uid = l.agent
     where l.run = $1 ${seq === undefined ? "" : "and l.seq = $2"} order by l.run, l.seq, l.epoch`,
    seq === undefined ? [run] : [run, seq],
  );
}

export interface LogEndRow {
  /** How long ago the step, or without one the run, has ended; undefined while it has not. */
  readonly sinceMs?: number;
  /** How many of its steps were done by an agent that has said nothing of their output yet. */
  readonly silent: number;
  /** Of how many of these it will: a process has an exit code, and output that always has an end. */
  readonly promised: number;
}

export async function readLogEnd(
  sql: Sql,
  run: string,
  seq: number | undefined,
): Promise<LogEndRow | undefined> {
  const table = seq === undefined ? "run where id = $1" : "step where run = $1 and seq = $2";
  const values = seq === undefined ? [run] : [run, seq];
  const [end] = await sql.query<{ sinceMs: number | null }>(
    `select (extract(epoch from now() - ended_at) * 1000)::float8 as "sinceMs" from ${table}`,
    values,
  );
  if (end === undefined || end.sinceMs === null) return end && { silent: 0, promised: 0 };
  const [row] = await sql.query<{ silent: number; promised: number }>(
    `select count(*) as silent,
       count(case when s.exit_code is not null and a.state in ('connected', 'suspect') then 1 end) as promised
     from step s left join agent a on a.uid = s.agent
     where s.run = $1 ${seq === undefined ? "" : "and s.seq = $2"} and s.agent is not null and s.started_at is not null
       and not exists (select 1 from log_attempt l where l.run = s.run and l.seq = s.seq and l.epoch = s.epoch)`,
    values,
  );
  return { sinceMs: end.sinceMs, silent: row?.silent ?? 0, promised: row?.promised ?? 0 };
}

/** How many bytes there are of a stream, gaps left out. */
export async function sumBytes(
  sql: Sql,
  of: { run: string; seq: number; epoch: number; stream: LogStreamName },
): Promise<number> {
  const [row] = await sql.query<{ bytes: number }>(
    `select coalesce(sum(length), 0)::bigint as bytes from log_chunk
     where run = $1 and seq = $2 and epoch = $3 and stream = $4 and gap is null`,
    [of.run, of.seq, of.epoch, of.stream],
  );
  return row?.bytes ?? 0;
}

/** How many chunks each of these runs has: what a follower compares. */
export async function countChunks(sql: Sql, runs: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ run: string; chunks: number }>(
    "select run, chunks from log_run where run = any($1::uuid[])",
    [runs],
  );
  return new Map(rows.map(({ run, chunks }) => [run, chunks]));
}
