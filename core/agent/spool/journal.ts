import { constants, open, readFile, rename } from "node:fs/promises";
import { syncFolder } from "../lasting.ts";

/**
 * An append-only file of lines. What is appended while the disk is busy is written and synchronised together: one fsync a
 * batch, whoever waits for it.
 */
export interface Journal {
  /** Resolves when the lines are on the disk; rejects when they are not, and then none of them is in the file. */
  append(lines: readonly string[]): Promise<void>;
  /** Written when something else is, or soon: nobody waits. */
  note(line: string): void;
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly file: string;
  /** Each whole line, oldest first. A torn last line was never acknowledged and is cut off. */
  readonly read: (line: string) => void;
  /** What is still wanted of the file; it is written anew with these when it has grown to many times their size. */
  readonly live: () => string[];
  readonly compactBytes?: number;
}

interface Waiting {
  readonly text: string;
  readonly done?: (error?: unknown) => void;
}

/** A write is on the disk when it returns: one call to the system for what would be two. */
const appending = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC;
const compactBytes = 4 * 1024 * 1024;
/** So long a note waits for company. */
const noteMs = 100;

export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { file, read, live } = options;
  let size = await readLines(file, read);
  let handle = await open(file, appending, 0o600);
  await handle.truncate(size);
  await syncFolder(file);
  let compactAt = options.compactBytes ?? compactBytes;
  let named = true;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let noting: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(noting);
    noting = undefined;
    if (waiting.length > 0) writing ??= write();
  }

  async function write(): Promise<void> {
    // What else this turn of the event loop appends belongs to the same batch.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const failure = await writeBatch(batch);
      for (const { done } of batch) done?.(failure);
      if (size >= compactAt) await compact().catch(() => {});
    }
    writing = undefined;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<unknown> {
    const bytes = Buffer.from(batch.map(({ text }) => text).join(""));
    try {
      for (let at = 0; at < bytes.length; )
        at += (await handle.write(bytes, at, bytes.length - at, null)).bytesWritten;
      if (!named) await name();
      size += bytes.length;
    } catch (error) {
      // Half a batch in the file would be read as a whole one after the next.
      await handle.truncate(size).catch(() => {});
      return error;
    }
  }

  async function compact(): Promise<void> {
    const bytes = Buffer.from(live().map(asLine).join(""));
    // If this fails, the old file is as good as before; the next try waits until it has doubled.
    compactAt = Math.max(options.compactBytes ?? compactBytes, 4 * bytes.length, 2 * size);
    const next = await open(`${file}.new`, appending | constants.O_TRUNC, 0o600);
    try {
      await next.appendFile(bytes);
      await rename(`${file}.new`, file);
    } catch (error) {
      await next.close();
      throw error;
    }
    // From here on the old file has no name, so whatever fails now: what is appended next goes into the new one.
    const before = handle;
    [handle, size, named] = [next, bytes.length, false];
    compactAt = Math.max(options.compactBytes ?? compactBytes, 4 * size);
    await before.close().finally(name);
  }

  /** Until the new file's name is on the disk, a power cut would bring the old one back, without what was appended since. */
  async function name(): Promise<void> {
    await syncFolder(file);
    named = true;
  }

  return {
    append(lines) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const text = lines.map(asLine).join("");
      waiting.push({ text, done: (error) => (error === undefined ? resolve() : reject(error)) });
      begin();
      return promise;
    },
    note(line) {
      waiting.push({ text: asLine(line) });
      noting ??= setTimeout(begin, noteMs).unref();
    },
    async close() {
      begin();
      await writing;
      await handle.close();
    },
  };
}

const asLine = (line: string) => `${line}\n`;

/** The length of the file without a torn tail. */
async function readLines(file: string, read: (line: string) => void): Promise<number> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  });
  const length = bytes.lastIndexOf(10) + 1;
  for (const line of bytes.toString("utf8", 0, length).split("\n")) if (line !== "") read(line);
  return length;
}
