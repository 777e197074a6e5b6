import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { Damaged } from "./damaged.ts";

/** What is known of a part after it has gone by. */
export interface Passed {
  bytes: number;
  sha256: string;
}

/** Whether something is the public half of an age identity. */
export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** Called with the bytes so far; what it throws ends the work. */
type OnBytes = (bytes: number) => Promise<void>;

/** Rows to what is stored: compressed, then encrypted to everybody in the list. Nothing is ever held as a whole. */
export async function seal(
  rows: Readable,
  recipients: readonly string[],
  onBytes: OnBytes,
): Promise<{ content: AsyncIterable<Uint8Array>; passed: () => Passed }> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const compressed = createZstdCompress();
  // A failure of the rows goes on to whoever reads the compressed ones.
  pipeline(rows, compressed).catch(() => {});
  const sealed = await encrypter.encrypt(webStream(compressed));
  const measure = measuring(onBytes);
  return { content: measure.of(sealed), passed: measure.passed };
}

/** And back. The digest must be checked by the caller: it is complete when the rows are. */
export async function unseal(
  stored: Readable,
  identities: readonly string[],
  onBytes: OnBytes,
): Promise<{ rows: Readable; passed: () => Passed }> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  const measure = measuring(onBytes);
  const opened = await decrypter
    .decrypt(webStream(Readable.from(measure.of(stored))))
    .catch((error: unknown) => {
      throw new Damaged(
        `it cannot be decrypted with this identity (${error instanceof Error ? error.message : error})`,
      );
    });
  const rows = createZstdDecompress();
  pipeline(Readable.fromWeb(opened as NodeWebStream), rows).catch(() => {});
  return { rows, passed: measure.passed };
}

/** Node and the web declare the same streams twice. */
function webStream(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

/** Reads to the end only to know size and digest. */
export async function measured(stored: Readable, onBytes: OnBytes): Promise<Passed> {
  const measure = measuring(onBytes);
  for await (const _ of measure.of(stored));
  return measure.passed();
}

function measuring(onBytes: OnBytes) {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        await onBytes(bytes);
        yield chunk;
      }
    },
    passed: (): Passed => ({ bytes, sha256: hash.copy().digest("hex") }),
  };
}
