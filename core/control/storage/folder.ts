import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Storage } from "./storage.ts";

/** A folder of this machine, or one that is mounted on all replicas. */
export function folderStorage(root: string): Storage {
  const storage: Storage = {
    shown: root,
    within: () => storage,
    async put(path, content) {
      const file = join(root, path);
      const unfinished = `${file}.part`;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(content), createWriteStream(unfinished, { mode: 0o600, flush: true }));
      await rename(unfinished, file);
      await sync(dirname(file));
    },
    async get(path) {
      const file = await open(join(root, path)).catch(ignoreMissing);
      return file === undefined ? undefined : createReadStream("", { fd: file });
    },
    async list(prefix) {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(ignoreMissing);
      return (entries ?? [])
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".part"))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
        .filter((path) => path.startsWith(prefix))
        .sort();
    },
    clear: (folder) => rm(join(root, folder), { recursive: true, force: true }),
  };
  return storage;
}

/** A renamed file is safe from a power cut only when its folder is on disk too. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
