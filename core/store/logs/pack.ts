import { zstdDecompressSync } from "node:zlib";

/**
 * Bytes that agents have packed by zstd, as they were; undefined when they are not what was said, which only a broken agent
 * sends. At once and not on another thread: a chunk takes less than what handing it over does.
 */
export function unpack(data: Uint8Array, length: number): Buffer | undefined {
  try {
    const bytes = zstdDecompressSync(data, { maxOutputLength: length, chunkSize: Math.max(64, length) });
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
