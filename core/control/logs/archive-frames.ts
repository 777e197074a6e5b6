import { createHash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { LogChunkRow } from "@reeve/store/logs";

const newline = 10;

/** Chunks as an object of the archive: of each a line of JSON and its bytes; at last a line with the SHA-256 of all before. */
export async function* framesOf(rows: AsyncIterable<LogChunkRow>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const { data, sealed, ...row } of rows) {
    const header = { ...row, ...(sealed && { sealed }), bytes: data?.length ?? null };
    const frame = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), data ?? Buffer.alloc(0)]);
    hash.update(frame);
    yield frame;
  }
  yield Buffer.from(`${JSON.stringify({ sha256: hash.digest("hex") })}\n`);
}

/** The chunks again. Throws when it is not as it was written. */
export async function* rowsOf(path: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunkRow> {
  const hash = createHash("sha256");
  let waiting: Buffer = Buffer.alloc(0);
  let header: Header | undefined;
  let headerBytes = 0;
  for await (const bytes of content) {
    waiting = Buffer.concat([waiting, bytes]);
    for (;;) {
      if (header === undefined) {
        const end = waiting.indexOf(newline);
        if (end < 0) break;
        header = headerOf(path, waiting.toString("utf8", 0, end));
        headerBytes = end + 1;
      }
      if (header.sha256 !== undefined) {
        if (header.sha256 === hash.digest("hex")) return;
        throw damagedArchive(path);
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
  throw damagedArchive(path);
}

type Header = LogChunkRow & { bytes: number | null; sha256?: string };

function headerOf(path: string, line: string): Header {
  try {
    return JSON.parse(line) as Header;
  } catch {
    throw damagedArchive(path);
  }
}

export function damagedArchive(path: string): Fault {
  return new Fault(
    "unavailable",
    `the archived log is damaged: the object ${path} is not as it was written`,
    {
      next: "bring this object back from a copy of the archive, and read again",
    },
  );
}
