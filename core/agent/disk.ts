import { statfs } from "node:fs/promises";

/** The room on the agent's disk. Without it nothing can be accepted: what is not on the disk is forgotten in a power cut. */
export interface Disk {
  readonly freeBytes: number;
  readonly bytes: number;
  /** In words, for people; undefined when there is room. */
  readonly trouble: string | undefined;
  /** A write has failed: nothing more until the disk looks well again. */
  failed(error: unknown): void;
  close(): void;
}

const lookMs = 5000;
const reserveBytes = 64 * 1024 * 1024;
const reserveShare = 0.05;

export async function watchDisk(folder: string): Promise<Disk> {
  let freeBytes = 0;
  let bytes = 0;
  let failure: string | undefined;

  async function look(): Promise<void> {
    const found = await statfs(folder);
    freeBytes = found.bavail * found.bsize;
    bytes = found.blocks * found.bsize;
    // If it still fails, the next write will say so.
    failure = undefined;
  }

  await look();
  const looking = setInterval(() => void look().catch((error: Error) => (failure = error.message)), lookMs);
  return {
    get freeBytes() {
      return freeBytes;
    },
    get bytes() {
      return bytes;
    },
    get trouble() {
      if (failure !== undefined) return `the agent cannot write to ${folder}: ${failure}`;
      if (freeBytes >= Math.min(reserveBytes, bytes * reserveShare)) return undefined;
      return `the agent's disk is full: ${Math.floor(freeBytes / 1_000_000)} MB are free in ${folder}`;
    },
    failed(error) {
      failure = error instanceof Error ? error.message : String(error);
    },
    close: () => clearInterval(looking),
  };
}
