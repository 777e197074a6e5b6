import { constants, zstdCompressSync } from "node:zlib";

const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const smallest = 128;

/**
 * The bytes compressed, or a copy of them when that is not worth it. Here, and not in the control plane: what is small is small
 * on the wire, in the memory of a replica and in the table. Level 1 takes 2 ms a MB; on another thread it would take twice that.
 */
export function pack(bytes: Buffer): { readonly data: Buffer; readonly length: number } {
  if (bytes.length >= smallest) {
    const data = zstdCompressSync(bytes, { params });
    if (data.length < bytes.length * 0.9) return { data, length: bytes.length };
  }
  return { data: Buffer.from(bytes), length: 0 };
}
