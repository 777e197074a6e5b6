import { createHash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { LogChunkRow } from "@reeve/store/logs";

const newline = 10;

/** Chunks as an object of the archive: of each a line of JSON and its bytes; at last a line with the SHA-256 of all before. */
export async function* framesOf(rows: AsyncIterable<LogChunkRow>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const { data, ...row } of rows) {
    const frame = Buffer.concat([
      Buffer.from(`${JSON.stringify({ ...row, bytes: data?.length ?? null })}\n`),
      data ?? Buffer.alloc(0),
    ]);
    hash.update(frame);
    yield frame;
  }
  yield Buffer.from(`${JSON.stringify({ sha256: hash.digest("hex") })}\n`);
}

/** The chunks again. Throws when it is not as it was written. */
export async function* rowsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunkRow> {
  const hash = createHash("sha256");
  let waiting: Buffer = Buffer.alloc(0);
  let header: (LogChunkRow & { bytes: number | null; sha256?: string }) | undefined;
  let headerBytes = 0;
  for await (const bytes of content) {
    waiting = Buffer.concat([waiting, bytes]);
    for (;;) {
      if (header === undefined) {
        const end = waiting.indexOf(newline);
        if (end < 0) break;
        header = JSON.parse(waiting.toString("utf8", 0, end)) as NonNullable<typeof header>;
        headerBytes = end + 1;
      }
      if (header.sha256 !== undefined) {
        if (header.sha256 === hash.digest("hex")) return;
        throw damaged();
      }
      const frameBytes = headerBytes + (header.bytes ?? 0);
      if (waiting.length < frameBytes) break;
      hash.update(waiting.subarray(0, frameBytes));
      const { bytes: length, sha256: _, ...row } = header;
      yield { ...row, data: length === null ? null : waiting.subarray(headerBytes, frameBytes) };
      waiting = waiting.subarray(frameBytes);
      header = undefined;
    }
  }
  throw damaged();
}

function damaged(): Fault {
  return new Fault("unavailable", "the archived log is damaged", {
    next: "look at its object in the archive",
  });
}
