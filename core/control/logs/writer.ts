import type { Database } from "@reeve/store";
import { type SentChunk, type WrittenChunk, writeChunks } from "@reeve/store/logs";

/** Chunks of all agents of this replica, written in batches, one after the other. */
export interface LogWriter {
  /** Resolves when they are committed. Chunks of one caller are written in the order in which they were given. */
  write(chunks: readonly SentChunk[]): Promise<WrittenChunk[]>;
  readonly figures: {
    readonly waiting: number;
    readonly batches: number;
    readonly chunks: number;
    /** As they came, packed or not. */
    readonly bytes: number;
  };
}

const batchBytes = 4 * 1024 * 1024;
const batchChunks = 1000;

interface Waiting {
  readonly chunks: readonly SentChunk[];
  readonly bytes: number;
  readonly done: PromiseWithResolvers<WrittenChunk[]>;
}

export function openLogWriter(
  database: Database,
  bytesOfRun: number,
  onWritten: (runs: ReadonlySet<string>) => void,
): LogWriter {
  const queue: Waiting[] = [];
  const figures = { waiting: 0, batches: 0, chunks: 0, bytes: 0 };
  let busy = false;

  function nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    const fits = queue.findIndex((one) => {
      bytes += one.bytes;
      count += one.chunks.length;
      return bytes > batchBytes || count > batchChunks;
    });
    return queue.splice(0, fits < 0 ? queue.length : Math.max(1, fits));
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const chunks = batch.flatMap((one) => one.chunks);
      const written = await writeChunks(database, chunks, bytesOfRun);
      for (const one of batch) one.done.resolve(written.splice(0, one.chunks.length));
      figures.batches++;
      figures.chunks += chunks.length;
      figures.bytes += batch.reduce((sum, one) => sum + one.bytes, 0);
      onWritten(new Set(chunks.map(({ run }) => run)));
    } catch (error) {
      for (const one of batch) one.done.reject(error);
    }
  }

  async function run(): Promise<void> {
    busy = true;
    while (queue.length > 0) {
      const batch = nextBatch();
      await writeBatch(batch);
      figures.waiting -= batch.reduce((sum, one) => sum + one.chunks.length, 0);
    }
    busy = false;
  }

  return {
    figures,
    write(chunks) {
      const bytes = chunks.reduce((sum, { data }) => sum + data.length, 0);
      const done = Promise.withResolvers<WrittenChunk[]>();
      queue.push({ chunks, bytes, done });
      figures.waiting += chunks.length;
      if (!busy) void run();
      return done.promise;
    },
  };
}
