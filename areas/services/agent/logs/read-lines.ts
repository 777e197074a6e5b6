import { open } from "node:fs/promises";
import { type ContainerLine, timeKey } from "@reeve/model";
import type { LogFile, LogStore } from "./log-store.ts";

export interface LinesAsked {
  /** Only of containers with this name, of this service of the Compose file, or with this id. */
  readonly container?: string | undefined;
  /** What was said at this time or later. */
  readonly since?: string | undefined;
  /** What was said later than this. */
  readonly after?: string | undefined;
  /** Only so many of the last lines of what is there by now. */
  readonly tail?: number | undefined;
  readonly follow?: boolean | undefined;
}

const atOnce = 500;
const chunkBytes = 64 * 1024;

/** The lines of a service in the order of their times; with `follow`, also what comes, until the signal. */
export async function* readLines(
  store: LogStore,
  service: string,
  asked: LinesAsked,
  signal: AbortSignal,
): AsyncGenerator<ContainerLine[]> {
  const bell = openBell(signal);
  const unwatch = asked.follow ? store.watch(service, bell.ring) : () => {};
  const cursors = new Map<string, Cursor>();
  let last: ContainerLine[] | undefined = asked.tail === undefined ? undefined : [];
  try {
    while (!signal.aborted) {
      const files = (await store.files(service)).filter((file) => isMeant(file, asked.container));
      for (const { id } of files) if (!cursors.has(id)) cursors.set(id, openCursor(id));
      for await (const lines of merged([...cursors.values()], files)) {
        const meant = lines.filter((line) => isSince(line, asked));
        if (last === undefined) yield meant;
        else last = lastOf([...last, ...meant], asked.tail ?? 0);
        if (signal.aborted) return;
      }
      if (last !== undefined) yield last;
      last = undefined;
      if (!asked.follow) return;
      await bell.rung();
    }
  } finally {
    unwatch();
  }
}

function lastOf(lines: ContainerLine[], most: number): ContainerLine[] {
  return lines.slice(Math.max(0, lines.length - most));
}

function isMeant({ name, id }: LogFile, wanted: string | undefined): boolean {
  if (wanted === undefined || name === wanted) return true;
  // Compose calls them project-service-number.
  return id.startsWith(wanted) || name.replace(/[-_]\d+$/, "").endsWith(`-${wanted}`);
}

function isSince({ at }: ContainerLine, { since = "", after = "" }: LinesAsked): boolean {
  const key = timeKey(at);
  return key >= timeKey(since) && (after === "" || key > timeKey(after));
}

/** Until every cursor has come to the end of what there is. */
async function* merged(cursors: Cursor[], files: readonly LogFile[]): AsyncGenerator<ContainerLine[]> {
  let batch: ContainerLine[] = [];
  let live = cursors;
  for (;;) {
    for (const cursor of live) if (cursor.lines.length === 0) await cursor.fill(files);
    live = live.filter(({ lines }) => lines.length > 0);
    const next = live.reduce<Cursor | undefined>(
      (first, one) => (first === undefined || headOf(one) < headOf(first) ? one : first),
      undefined,
    );
    const line = next?.lines.shift();
    if (line !== undefined) batch.push(line);
    if (batch.length >= atOnce || (line === undefined && batch.length > 0)) {
      yield batch;
      batch = [];
    }
    if (line === undefined) return;
  }
}

const headOf = ({ lines }: Cursor) => timeKey(lines[0]?.at ?? "");

interface Cursor {
  readonly lines: ContainerLine[];
  /** Reads on, from one file to the next; nothing is added when there is nothing. */
  fill(files: readonly LogFile[]): Promise<void>;
}

function openCursor(id: string): Cursor {
  const lines: ContainerLine[] = [];
  let number = 0;
  let offset = 0;
  let rest = Buffer.alloc(0);
  return {
    lines,
    async fill(files) {
      for (const file of files.filter((one) => one.id === id && one.number >= number)) {
        if (file.number !== number) [number, offset, rest] = [file.number, 0, Buffer.alloc(0)];
        for (
          let chunk = await readAt(file.path, offset);
          chunk.length > 0;
          chunk = await readAt(file.path, offset)
        ) {
          offset += chunk.length;
          const all = Buffer.concat([rest, chunk]);
          const end = all.lastIndexOf(10) + 1;
          rest = all.subarray(end);
          for (const text of all.subarray(0, end).toString("utf8").split("\n")) {
            const line = text === "" ? undefined : readLine(file.name, text);
            if (line !== undefined) lines.push(line);
          }
          if (lines.length > 0) return;
        }
      }
    },
  };
}

/** Nothing of a file that was removed meanwhile. */
async function readAt(path: string, offset: number): Promise<Buffer> {
  const handle = await open(path, "r").catch(() => undefined);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function readLine(container: string, line: string): ContainerLine | undefined {
  const [, at, stream, text = ""] = /^(\S+) (stdout|stderr) (.*)$/s.exec(line) ?? [];
  if (at === undefined) return undefined;
  return { container, stream: stream as ContainerLine["stream"], at, text };
}

/** Remembers one ring while nobody waits. */
function openBell(signal: AbortSignal) {
  let wake = Promise.withResolvers<void>();
  const ring = () => wake.resolve();
  signal.addEventListener("abort", ring);
  return {
    ring,
    async rung(): Promise<void> {
      await wake.promise;
      wake = Promise.withResolvers<void>();
    },
  };
}
