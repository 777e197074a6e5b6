import type { LogStreamName, RunGraph } from "@reeve/model";
import { readLoggedAttempts, readRemoved, sumBytes } from "@reeve/store/logs";
import { type LogPlaces, type LogQuery, readLog } from "./read.ts";
import { openSources, type Sources, sourceOf } from "./sources.ts";
import { rawBytes } from "./text.ts";

const block = 512;

/** A run's output as an archive: a file for each stream of each attempt that has any. */
export async function* logArchive(
  places: LogPlaces,
  run: string,
  graph: RunGraph,
): AsyncGenerator<Uint8Array> {
  const sql = places.database;
  const sources = openSources(sql, run, graph);
  for (const attempt of await readLoggedAttempts(sql, run))
    for (const stream of ["stdout", "stderr"] as const) {
      const query = { run, seq: attempt.seq, epoch: attempt.epoch, stream };
      const size = await sizeOf(places, sources, query);
      if (size === 0) continue;
      const { step, seq } = sourceOf(graph, attempt, stream);
      yield header(
        `${String(seq).padStart(4, "0")}-${step}/${attempt.attempt}-${attempt.epoch}.${stream}`,
        size,
      );
      let left = size;
      for await (const bytes of rawBytes(readLog(places, sources, query))) {
        // More may have come since the size was told.
        yield bytes.subarray(0, left);
        left -= Math.min(left, bytes.length);
        if (left === 0) break;
      }
      yield Buffer.alloc(left + ((block - (size % block)) % block));
    }
  yield Buffer.alloc(2 * block);
}

/** What is in the archive only has to be read for it. */
async function sizeOf(
  places: LogPlaces,
  sources: Sources,
  query: LogQuery & { seq: number; epoch: number; stream: LogStreamName },
): Promise<number> {
  if ((await readRemoved(places.database, query.run)) === 0) return sumBytes(places.database, query);
  let size = 0;
  for await (const bytes of rawBytes(readLog(places, sources, query))) size += bytes.length;
  return size;
}

/** As POSIX describes it (ustar). Names of steps are short; a size needs eleven octal digits, which is 8 GB. */
function header(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  bytes.write(name.slice(0, 100), 0);
  bytes.write(octal(0o644, 7), 100);
  bytes.write(octal(0, 7), 108);
  bytes.write(octal(0, 7), 116);
  bytes.write(octal(size, 11), 124);
  bytes.write(octal(0, 11), 136);
  bytes.write(" ".repeat(8), 148);
  bytes.write("0", 156);
  bytes.write("ustar\x0000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}
