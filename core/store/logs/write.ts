import { aboutOf } from "../at-rest/at-rest.ts";
import { output } from "../at-rest/places.ts";
import type { Database } from "../database.ts";
import type { Sql } from "../sql.ts";
import { type AttemptLog, attemptText, decideChunk, lengthOf, type NewChunk } from "./decide.ts";

/** A chunk as an agent sent it. */
export interface SentChunk extends NewChunk {
  readonly agent: string;
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
}

/** What is durable of the stream after a chunk. `wanted` is false for attempts that are not, and were never, the agent's. */
export interface WrittenChunk {
  readonly wanted: boolean;
  readonly durable: number;
  readonly ended: boolean;
}

/**
 * Writes chunks of many attempts in one transaction, in their order, and says for each how far its stream has come. What is
 * there already is left alone; what would leave a hole without a word about it is not written. A run that has more than it may
 * gets a gap instead, and its agent hears that no more is wanted; an agent that goes on all the same is soon not written of at all.
 */
export function writeChunks(
  database: Database,
  chunks: readonly SentChunk[],
  bytesOfRun: number = Number.POSITIVE_INFINITY,
): Promise<WrittenChunk[]> {
  return database.transact(async (sql) => {
    const { runs, attempts } = await readLogs(sql, chunks);
    const results: WrittenChunk[] = [];
    const writes: Promise<unknown>[] = [];
    for (const chunk of chunks) {
      const attempt = attempts.get(attemptText(chunk));
      const run = runs.get(chunk.run);
      const mine = attempt !== undefined && run !== undefined && attempt.agent === chunk.agent;
      if (!mine || run.bytes >= bytesOfRun + mostGaps * rowBytes) {
        results.push({ wanted: false, durable: 0, ended: false });
        continue;
      }
      const full = run.bytes >= bytesOfRun;
      const { rows, ...result } = decideChunk(attempt, full ? missing(chunk, bytesOfRun) : chunk);
      for (const row of rows) {
        run.chunks++;
        run.bytes += rowBytes + (row.data?.length ?? 0);
        run.changed = true;
        const { seq, epoch, stream } = chunk;
        const { offset, length, packed, gap } = row;
        const sealer = row.data === null ? undefined : sql.atRest?.sealer(run.scope);
        const key = [chunk.run, seq, epoch, run.chunks];
        const data = sealer?.seal(aboutOf(output, key), row.data as Uint8Array) ?? row.data;
        writes.push(
          sql.query(insertChunk, [
            chunk.run,
            seq,
            epoch,
            run.chunks,
            stream,
            offset,
            length,
            packed,
            data,
            gap,
            sealer?.key ?? null,
          ]),
        );
      }
      // An end takes a number too: whoever follows the run counts.
      if (result.ended && chunk.endSha256 !== undefined && attempt.changed) {
        run.chunks++;
        run.changed = true;
      }
      results.push({ wanted: !full, ...result });
    }
    const changed = [...attempts.values()].filter((attempt) => attempt.changed);
    if (changed.length > 0) {
      writes.push(sql.query(updateRuns, runColumns([...runs.values()].filter((run) => run.changed))));
      sql.last(updateAttempts, attemptColumns(changed));
    }
    await Promise.all(writes);
    return results;
  });
}

/** About what a row takes beside its data: many small ones count too. */
const rowBytes = 100;
const mostGaps = 1000;

/** The chunk with its bytes left out, and why. */
function missing(chunk: SentChunk, bytesOfRun: number): SentChunk {
  const { endSha256: _, unpacked: __, ...rest } = chunk;
  const gap = `the run has written more than ${bytesOfRun} bytes`;
  return { ...rest, offset: chunk.offset + lengthOf(chunk), data: new Uint8Array(), gap };
}

interface RunLog {
  readonly run: string;
  readonly scope: string;
  chunks: number;
  bytes: number;
  changed?: boolean;
}

/** The rows of these runs, locked, and of these attempts; made if they are the agent's and have none yet. */
async function readLogs(sql: Sql, chunks: readonly SentChunk[]) {
  const runIds = [...new Set(chunks.map(({ run }) => run))].sort();
  const keys = [...new Map(chunks.map((chunk) => [`${attemptText(chunk)} ${chunk.agent}`, chunk])).values()];
  const columns = [keys.map(({ run }) => run), keys.map(({ seq }) => seq), keys.map(({ epoch }) => epoch)];
  const [, runRows, , attemptRows] = await Promise.all([
    sql.query(insertRuns, [runIds]),
    sql.query<RunLog>(lockRuns, [runIds]),
    sql.query(insertAttempts, [...columns, keys.map(({ agent }) => agent)]),
    sql.query<AttemptLog & { run: string; seq: number; epoch: number }>(readAttempts, columns),
  ]);
  return {
    runs: new Map(runRows.map((row) => [row.run, row])),
    attempts: new Map(attemptRows.map((row) => [attemptText(row), row])),
  };
}

const insertRuns = `
  insert into log_run (run, uid) select id, uid from run where id = any($1::uuid[]) order by id
  on conflict (run) do nothing`;

const lockRuns = `
  select l.run, l.chunks, l.bytes, coalesce(r.scope, '') as scope from log_run l left join run r on r.id = l.run
  where l.run = any($1::uuid[]) order by l.run for update of l`;

/** An attempt is the step's latest, or one that another has followed. */
const insertAttempts = `
  insert into log_attempt (run, seq, epoch, agent)
  select k.run, k.seq, k.epoch, k.agent
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[]) as k (run, seq, epoch, agent)
  where exists (select 1 from step s where s.run = k.run and s.seq = k.seq and s.epoch = k.epoch and s.agent = k.agent)
     or exists (select 1 from step_attempt a where a.run = k.run and a.seq = k.seq and a.epoch = k.epoch and a.agent = k.agent)
  on conflict (run, seq, epoch) do nothing`;

/** Of an agent that was revoked nothing is taken any more, also over a stream that it had opened before. */
const readAttempts = `
  select a.run, a.seq, a.epoch, a.agent, a.out_bytes as "outBytes", a.err_bytes as "errBytes",
    a.out_sha256 as "outSha256", a.err_sha256 as "errSha256"
  from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as k (run, seq, epoch)
  join log_attempt a on a.run = k.run and a.seq = k.seq and a.epoch = k.epoch
  left join agent g on g.uid = a.agent where g.revoked_at is null`;

const insertChunk = `
  insert into log_chunk (run, seq, epoch, number, stream, begins, length, packed, data, gap, sealed)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::uuid)`;

const updateRuns = `
  update log_run set chunks = k.chunks, bytes = k.bytes, at = now()
  from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as k (run, chunks, bytes) where log_run.run = k.run`;

const updateAttempts = `
  update log_attempt a set out_bytes = k.out_bytes, err_bytes = k.err_bytes,
    out_sha256 = decode(k.out_sha256, 'hex'), err_sha256 = decode(k.err_sha256, 'hex')
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
    as k (run, seq, epoch, out_bytes, err_bytes, out_sha256, err_sha256)
  where a.run = k.run and a.seq = k.seq and a.epoch = k.epoch`;

function runColumns(runs: readonly RunLog[]): unknown[] {
  return [runs.map(({ run }) => run), runs.map(({ chunks }) => chunks), runs.map(({ bytes }) => bytes)];
}

function attemptColumns(
  attempts: readonly (AttemptLog & { run: string; seq: number; epoch: number })[],
): unknown[] {
  return [
    attempts.map(({ run }) => run),
    attempts.map(({ seq }) => seq),
    attempts.map(({ epoch }) => epoch),
    attempts.map(({ outBytes }) => outBytes),
    attempts.map(({ errBytes }) => errBytes),
    attempts.map(({ outSha256 }) => outSha256?.toString("hex") ?? null),
    attempts.map(({ errSha256 }) => errSha256?.toString("hex") ?? null),
  ];
}
