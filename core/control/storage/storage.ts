import type { Readable } from "node:stream";

/**
 * Where backups and archived logs are kept. A path is ours: lower-case words, digits, `-`, `.` and `/`. Nothing is overwritten by a writer that
 * fails: what `put` writes is there as a whole, or not at all.
 */
export interface Storage {
  /** As people know it; holds no secret. */
  readonly shown: string;
  /** The same storage for work that ends with this signal, also in the middle of a request. */
  within(signal: AbortSignal): Storage;
  /**
   * Before anything is written or judged missing: makes what is needed for the first use, or fails as `unavailable` when this is not
   * the place that was used before. Where that cannot be seen, it asks for a path that was written there; undefined when none was.
   */
  prepare(written: () => Promise<string | undefined>): Promise<void>;
  put(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined when there is nothing at this path; a storage that is away fails as `unavailable`. */
  get(path: string): Promise<Readable | undefined>;
  /** Every path that begins with this one. */
  list(prefix: string): Promise<string[]>;
  /** Takes away everything below a folder, also what a killed writer left unfinished. */
  clear(folder: string): Promise<void>;
}
