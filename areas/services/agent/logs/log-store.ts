import { mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerLine } from "@reeve/model";

/** A container as its files are called. */
export interface Source {
  readonly name: string;
  readonly id: string;
}

/** A file of one container's lines; those with higher numbers are newer. */
export interface LogFile extends Source {
  readonly path: string;
  readonly number: number;
}

export interface LogBounds {
  readonly fileBytes: number;
  /** Of all containers of a service, those that are gone too. */
  readonly serviceBytes: number;
  readonly days: number;
}

export const usualBounds: LogBounds = { fileBytes: 1024 ** 2, serviceBytes: 16 * 1024 ** 2, days: 7 };

/** What containers of services have said, on the agent's disk: what lies here outlives them, within bounds. */
export interface LogStore {
  append(service: string, source: Source, lines: readonly ContainerLine[]): Promise<void>;
  /** When the last line that is here was said. */
  last(service: string, source: Source): Promise<string | undefined>;
  /** Oldest first of each container. */
  files(service: string): Promise<LogFile[]>;
  /** Calls back when there are more lines. */
  watch(service: string, changed: () => void): () => void;
  remove(service: string): Promise<void>;
  /** Removes what is too old. */
  prune(): Promise<void>;
}

interface Place {
  number: number;
  bytes: number;
  last: string | undefined;
}

export function openLogStore(folder: string, bounds: LogBounds = usualBounds): LogStore {
  const places = new Map<string, Promise<Place>>();
  const watchers = new Map<string, Set<() => void>>();
  /** What a container says of its service is a label, which anybody on the host may have made. */
  const folderOf = (service: string) => {
    if (!/^[0-9a-f-]{36}$/.test(service)) throw new Error("not the uid of a service");
    return join(folder, service);
  };

  async function files(service: string): Promise<LogFile[]> {
    const names = await readdir(folderOf(service)).catch(() => []);
    return names
      .flatMap((file) => {
        const [, name, id, number] = /^(.+)~([0-9a-f]+)~(\d+)\.log$/.exec(file) ?? [];
        if (name === undefined || id === undefined) return [];
        return [{ path: join(folderOf(service), file), name, id, number: Number(number) }];
      })
      .sort((a, b) => a.number - b.number);
  }

  async function findPlace(service: string, { id }: Source): Promise<Place> {
    const newest = (await files(service)).filter((one) => one.id === id).at(-1);
    if (newest === undefined) return { number: 1, bytes: 0, last: undefined };
    const { size } = await stat(newest.path);
    return { number: newest.number, bytes: size, last: await lastTime(newest.path, size) };
  }

  function placeOf(service: string, source: Source): Promise<Place> {
    const known = places.get(source.id);
    if (known !== undefined) return known;
    const found = findPlace(service, source);
    places.set(source.id, found);
    found.catch(() => places.delete(source.id));
    return found;
  }

  /** Oldest first, until the rest fits. */
  async function shrink(service: string): Promise<void> {
    const all = await Promise.all((await files(service)).map(withStat));
    let bytes = all.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of all.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (bytes <= bounds.serviceBytes) return;
      await rm(path, { force: true });
      bytes -= size;
    }
  }

  return {
    files,
    async append(service, source, lines) {
      const place = await placeOf(service, source);
      // The rest of a line that was too long has no time of its own.
      let time = place.last ?? new Date().toISOString();
      const text = lines
        .map((line) => {
          time = line.at || time;
          return `${time} ${line.stream} ${line.text}\n`;
        })
        .join("");
      if (place.bytes >= bounds.fileBytes) {
        place.number++;
        place.bytes = 0;
        await shrink(service);
      }
      await mkdir(folderOf(service), { recursive: true, mode: 0o700 });
      const name = `${source.name}~${source.id}~${String(place.number).padStart(6, "0")}.log`;
      const handle = await open(join(folderOf(service), name), "a", 0o600);
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
      place.bytes += Buffer.byteLength(text);
      place.last = time;
      for (const changed of watchers.get(service) ?? []) changed();
    },
    last: async (service, source) => (await placeOf(service, source)).last,
    watch(service, changed) {
      const mine = watchers.get(service) ?? new Set();
      watchers.set(service, mine.add(changed));
      return () => {
        mine.delete(changed);
        if (mine.size === 0) watchers.delete(service);
      };
    },
    async remove(service) {
      for (const { id } of await files(service)) places.delete(id);
      await rm(folderOf(service), { recursive: true, force: true });
    },
    async prune() {
      const before = Date.now() - bounds.days * 86_400_000;
      for (const service of await readdir(folder).catch(() => [])) {
        const all = await Promise.all((await files(service)).map(withStat));
        for (const { path, mtimeMs } of all) if (mtimeMs < before) await rm(path, { force: true });
        // Fails while there is anything in it.
        await rmdir(folderOf(service)).catch(() => undefined);
      }
    },
  };
}

async function withStat({ path }: LogFile): Promise<{ path: string; size: number; mtimeMs: number }> {
  const found = await stat(path).catch(() => ({ size: 0, mtimeMs: Date.now() }));
  return { path, size: found.size, mtimeMs: found.mtimeMs };
}

/** A line that a crash cut in two is the last one's rest: the whole one before it counts. */
async function lastTime(path: string, size: number): Promise<string | undefined> {
  const handle = await open(path, "r");
  try {
    const length = Math.min(size, 256 * 1024);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString("utf8").split("\n").slice(0, -1);
    return lines.findLast((line) => /^\d{4}-\S+Z std/.test(line))?.split(" ")[0];
  } finally {
    await handle.close();
  }
}
