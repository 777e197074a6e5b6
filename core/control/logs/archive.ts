import { createHash, type Hash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { Database } from "@reeve/store";
import {
  type LogChunkRow,
  markArchived,
  openChunks,
  readKeptChunks,
  readLastArchived,
  readLoggedAttempts,
  readToArchive,
  type ToArchive,
  unpack,
} from "@reeve/store/logs";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";
import type { Storage } from "../storage/storage.ts";
import { damagedArchive, framesOf, rowsOf } from "./archive-frames.ts";

/** Output of ended runs in a cheaper place, from where it is read when the database has it no more. */
export interface LogArchive {
  /** Chunks of a run after one, in their order. */
  read(run: string, after: number): AsyncGenerator<LogChunkRow>;
  /** Copies what is to be copied, once. */
  archiveNow(): Promise<void>;
  start(leases: Leases): () => void;
}

export interface ArchiveOptions {
  readonly storage: Storage;
  readonly days: number;
  /** Nothing must have come for so long: agents that were away send the rest. */
  readonly quietMs?: number;
}

const everyMs = 60_000;
const runsAtOnce = 100;
const rowsAtOnce = 16;
const dayMs = 86_400_000;

/** A month of runs is a folder, so that what is old goes as a whole, also when nobody remembers its runs. */
export function openLogArchive(database: Database, options: ArchiveOptions, log: Log): LogArchive {
  const { storage, days, quietMs = 600_000 } = options;

  async function archive({ run, archivedTo, chunks }: ToArchive): Promise<void> {
    const path = pathOf(run, archivedTo);
    const hashes = new Map<string, Hash>();
    // As they are kept: what is sealed here is sealed there, by the same key.
    await storage.put(
      path,
      framesOf(checked(database, run, rowsFrom(database, run, archivedTo, chunks), hashes)),
    );
    // What is here is no better than the copy of it: somebody should know, but nothing is gained by waiting.
    if (archivedTo === 0)
      for (const { seq, stream } of await otherThanTold(database, run, hashes))
        log.warn(
          { run, seq, stream },
          "archived output has not the hash that its agent told: the agent was restarted meanwhile, or the output was changed in the database",
        );
    await markArchived(database, run, chunks);
  }

  async function written(): Promise<string | undefined> {
    const run = await readLastArchived(database);
    return run === undefined ? undefined : pathOf(run, 0);
  }

  async function archiveNow(): Promise<void> {
    const waiting = await readToArchive(database, quietMs, runsAtOnce);
    if (waiting.length > 0) await storage.prepare(written);
    for (const one of waiting)
      try {
        await archive(one);
      } catch (error) {
        // What is damaged itself is in nobody's way; of storage that is away the others would learn no more.
        if (!isDamage(error)) throw error;
        log.warn({ err: error, run: one.run }, "the output of a run is damaged and cannot be archived");
      }
  }

  async function prune(): Promise<void> {
    const newest = Date.now() - (days + 31) * dayMs;
    for (let month = 0; month < 3; month++) await storage.clear(monthOf(newest - month * 28 * dayMs));
  }

  return {
    archiveNow,
    async *read(run, after) {
      for (const path of (await storage.list(folderOf(run))).sort()) {
        const content = await storage.get(path);
        if (content === undefined) continue;
        for await (const row of rowsOf(path, content))
          if (row.number > after) yield await openArchived(database, run, path, row);
      }
    },
    start(leases) {
      let busy = false;
      let prunedAt = 0;
      const timer = setInterval(async () => {
        if (busy || !leases.mine.includes(0)) return;
        busy = true;
        try {
          await archiveNow();
          if (Date.now() - prunedAt > dayMs) {
            await prune();
            prunedAt = Date.now();
          }
        } catch (error) {
          log.warn({ err: error }, "logs cannot be archived; trying again in a minute");
        }
        busy = false;
      }, everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Opens a chunk before the digest of its whole object is known: one that does not open tells of the damage first. */
async function openArchived(database: Database, run: string, path: string, row: LogChunkRow) {
  try {
    return (await openChunks(database, run, [row]))[0] as LogChunkRow;
  } catch (error) {
    throw isDamage(error) ? damagedArchive(path) : error;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Fault && error.kind === "internal";
}

/** Of what comes after a chunk. */
function pathOf(run: string, after: number): string {
  return `${folderOf(run)}${String(after + 1).padStart(12, "0")}`;
}

/** The id of a run tells its time (UUID version 7). */
function folderOf(run: string): string {
  return `${monthOf(Number.parseInt(run.replaceAll("-", "").slice(0, 12), 16))}/${run}/`;
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

async function* rowsFrom(database: Database, run: string, from: number, to: number) {
  for (let after = from; ; ) {
    const rows = await readKeptChunks(database, { run, after, limit: rowsAtOnce });
    yield* rows.filter(({ number }) => number <= to);
    const last = rows.at(-1)?.number;
    if (last === undefined || last >= to) return;
    after = last;
  }
}

async function* checked(
  database: Database,
  run: string,
  rows: AsyncIterable<LogChunkRow>,
  hashes: Map<string, Hash>,
) {
  for await (const row of rows) {
    const [{ data }] = (await openChunks(database, run, [row])) as [LogChunkRow];
    const key = `${row.seq} ${row.epoch} ${row.stream}`;
    const hash = hashes.get(key) ?? createHash("sha256");
    hashes.set(key, hash);
    const bytes = row.packed && data !== null ? unpack(data, row.length) : data;
    if (bytes) hash.update(bytes);
    yield row;
  }
}

/** The streams whose copy is not what their agent said when they ended. */
async function otherThanTold(database: Database, run: string, hashes: ReadonlyMap<string, Hash>) {
  const attempts = await readLoggedAttempts(database, run);
  return attempts
    .flatMap(({ seq, epoch, outSha256, errSha256 }) => [
      { seq, epoch, stream: "stdout", end: outSha256 },
      { seq, epoch, stream: "stderr", end: errSha256 },
    ])
    .filter(({ seq, epoch, stream, end }) => {
      const hash = hashes.get(`${seq} ${epoch} ${stream}`);
      return end !== null && hash !== undefined && !hash.digest().equals(end);
    });
}
