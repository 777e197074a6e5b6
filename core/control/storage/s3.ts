import { Readable } from "node:stream";
import { openBucket } from "./s3-bucket.ts";
import type { Storage } from "./storage.ts";

export interface S3Options {
  /** The settings it comes from begin with this; for whoever has to correct them. */
  readonly settings: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** A path within the bucket; may be empty. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secret: string;
  /** The size of a part of a large object. S3 takes 10,000 parts, all but the last of at least 5 MiB. */
  readonly partBytes?: number;
  readonly signal?: AbortSignal;
}

/** A bucket of Amazon S3 or of what speaks its language. At most two parts are in memory. */
export function s3Storage(options: S3Options): Storage {
  const bucket = openBucket(options);
  const partBytes = options.partBytes ?? 16 * 1024 * 1024;
  const root = options.prefix === "" ? "" : `${options.prefix.replace(/^\/+|\/+$/g, "")}/`;

  async function putInParts(key: string, first: Buffer, rest: AsyncIterator<Buffer>): Promise<void> {
    const upload = await bucket.beginUpload(key);
    try {
      const tags: string[] = [];
      for (let part: Buffer | undefined = first; part !== undefined; ) {
        tags.push(await bucket.putPart(key, upload, tags.length + 1, part));
        const next: IteratorResult<Buffer> = await rest.next();
        part = next.done ? undefined : next.value;
      }
      await bucket.completeUpload(key, upload, tags);
    } catch (error) {
      await bucket.abortUpload(key, upload).catch(() => {});
      throw error;
    }
  }

  return {
    shown: `s3://${options.bucket}/${root}`,
    within: (signal) => s3Storage({ ...options, signal }),
    // A bucket is made by its owner, and one that is away does not look empty.
    prepare: async () => {},
    async put(path, content) {
      const parts = inParts(content, partBytes);
      const first = await parts.next();
      const whole = first.done ? Buffer.alloc(0) : first.value;
      if (whole.length < partBytes) await bucket.put(root + path, whole);
      else await putInParts(root + path, whole, parts);
    },
    async get(path) {
      const body = await bucket.get(root + path);
      return body === undefined ? undefined : Readable.fromWeb(body);
    },
    async list(prefix) {
      const keys = await bucket.list(root + prefix);
      return keys.map((key) => key.slice(root.length));
    },
    async clear(folder) {
      const prefix = `${root}${folder}/`;
      for (const { key, upload } of await bucket.uploads(prefix)) await bucket.abortUpload(key, upload);
      for (const key of await bucket.list(prefix)) await bucket.delete(key);
    },
  };
}

/** Buffers of exactly this size, and a last one of what remains. */
async function* inParts(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Buffer, undefined> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    size += chunk.length;
    while (size >= bytes) {
      const all = Buffer.concat(waiting);
      yield all.subarray(0, bytes);
      waiting = [all.subarray(bytes)];
      size -= bytes;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}
