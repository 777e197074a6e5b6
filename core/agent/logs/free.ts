import { execFile } from "node:child_process";

const pageBytes = 4096;

/**
 * Gives the pages of a part of a file back to the disk; the file keeps its length. Only where `fallocate` and the file system
 * can (Linux, all usual ones); elsewhere the file keeps its bytes until the attempt is forgotten.
 */
export function free(file: string, from: number, to: number): Promise<boolean> {
  const start = Math.ceil(from / pageBytes) * pageBytes;
  const length = Math.floor(to / pageBytes) * pageBytes - start;
  if (length <= 0) return Promise.resolve(true);
  const args = ["--punch-hole", "--offset", String(start), "--length", String(length), file];
  return new Promise((resolve) => {
    execFile("fallocate", args, { timeout: 30_000 }, (error) => resolve(error === null));
  });
}
