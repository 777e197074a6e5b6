import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Fault } from "@reeve/model";
import type { Storage } from "./storage.ts";

/** In every folder that is in use: where it is missing there may be a mount point without its mount, which must not be written to. */
const mark = ".reeve-storage";
const words =
  "Reeve keeps files in this folder. Leave this one here: it tells the folder from a mount point without its mount.\n";

/** A folder of this machine, or one that is mounted on all replicas. */
export function folderStorage(root: string): Storage {
  const has = async (path: string) => (await stat(join(root, path)).catch(ignoreMissing)) !== undefined;
  const isEmpty = async () => ((await readdir(root).catch(ignoreMissing)) ?? []).length === 0;

  const storage: Storage = {
    shown: root,
    within: () => storage,
    async prepare(written) {
      if (await has(mark)) return;
      // One that was filled by a version that left no mark is known by what it holds.
      const known = await written();
      if (known !== undefined && !(await has(known))) throw away(root);
      await mkdir(root, { recursive: true, mode: 0o700 });
      await writeFile(join(root, mark), words, { mode: 0o600 });
    },
    async put(path, content) {
      if (!(await has(mark))) throw away(root);
      const file = join(root, path);
      const unfinished = `${file}.part`;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(content), createWriteStream(unfinished, { mode: 0o600, flush: true }));
      await rename(unfinished, file);
      await sync(dirname(file));
    },
    async get(path) {
      const file = await open(join(root, path)).catch(ignoreMissing);
      if (file !== undefined) return createReadStream("", { fd: file });
      if (await isEmpty()) throw away(root);
      return undefined;
    },
    async list(prefix) {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(ignoreMissing);
      if (entries === undefined || entries.length === 0) throw away(root);
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".part") && entry.name !== mark)
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
        .filter((path) => path.startsWith(prefix))
        .sort();
    },
    clear: (folder) => rm(join(root, folder), { recursive: true, force: true }),
  };
  return storage;
}

function away(root: string): Fault {
  return new Fault(
    "unavailable",
    `the folder ${root} is missing, empty or without its ${mark}: its mount may be away`,
    { next: `mount it; if it is a new folder, make it, and an empty file ${mark} in it` },
  );
}

/** A renamed file is safe from a power cut only when its folder is on disk too. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
