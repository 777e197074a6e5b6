import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const smallest = 128;

/** The bytes compressed, on another thread; undefined when that is not worth it. Level 1: logs come fast, and shrink well anyway. */
export async function pack(data: Uint8Array): Promise<Buffer | undefined> {
  if (data.length < smallest) return undefined;
  const packed = await compress(data, { params });
  return packed.length < data.length * 0.9 ? packed : undefined;
}

export async function unpack(row: { packed: boolean; data: Buffer | null }): Promise<Buffer> {
  if (row.data === null) return Buffer.alloc(0);
  return row.packed ? decompress(row.data) : row.data;
}
