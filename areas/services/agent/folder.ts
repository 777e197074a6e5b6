import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bundle } from "../kinds/bundle.ts";
import { readBundle } from "../kinds/bundle.ts";

/**
 * What a service has on its host. `live` is its folder, the same for all generations: files of the bundle are replaced there one
 * by one, and whatever else lies beside them (`./data`) is somebody's data and is left alone. `own` is the keeper's.
 */
export interface Folder {
  readonly live: string;
  /** The override that marks the containers as ours. */
  readonly labels: string;
  /** The files of a bundle, apart from the others, for Compose to check before anything is touched. */
  stage(digest: string, fetch: () => Promise<Buffer>): Promise<string>;
  bundle(digest: string): Promise<Bundle>;
  /** The uid of the service that has this folder and project; undefined when nobody has. */
  owner(): Promise<string | undefined>;
  /** Whether the files of the bundle, and no others of ours, are in place. */
  isPlaced(digest: string): Promise<boolean>;
  place(uid: string, digest: string): Promise<void>;
  /** Bundles that are not this one are of no more use. */
  keepOnly(digest: string): Promise<void>;
  /** Our files and marks go. What else is there stays, and is named. */
  clear(): Promise<string[]>;
}

interface Mark {
  readonly uid: string;
  readonly bundle: string;
  readonly paths: readonly string[];
}

/** No project is called so. */
const ownFolder = ".reeve";

export function folderOf(root: string, project: string): Folder {
  const live = join(root, project);
  const own = join(root, ownFolder, project);
  const markFile = join(own, "mark.json");
  const stageOf = (digest: string) => join(own, "bundles", digest);

  async function mark(): Promise<Mark | undefined> {
    const text = await readFile(markFile, "utf8").catch(ifMissing(undefined));
    return text === undefined ? undefined : (JSON.parse(text) as Mark);
  }

  async function bundle(digest: string): Promise<Bundle> {
    return readBundle(await readFile(join(stageOf(digest), "bundle.json"), "utf8"));
  }

  async function stage(digest: string, fetch: () => Promise<Buffer>): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error("the bundle has no address");
    const staged = stageOf(digest);
    const files = join(staged, "files");
    if (await stat(join(staged, "bundle.json")).catch(ifMissing(undefined))) return files;
    const content = await fetch();
    if (createHash("sha256").update(content).digest("hex") !== digest)
      throw new Error("the bundle is not the one that was asked for");
    await rm(staged, { recursive: true, force: true });
    for (const [path, text] of Object.entries(readBundle(content.toString("utf8"))))
      await writeBelow(files, path, text);
    // Last: whoever finds it finds all of it.
    await writeFile(join(staged, "bundle.json"), content, { mode: 0o600 });
    return files;
  }

  return {
    live,
    labels: join(own, "labels.yaml"),
    stage,
    bundle,
    owner: async () => (await mark())?.uid,
    async isPlaced(digest) {
      const placed = await mark();
      if (placed?.bundle !== digest) return false;
      const files = Object.entries(await bundle(digest));
      if (files.length !== placed.paths.length) return false;
      const same = await Promise.all(
        files.map(
          async ([path, text]) => (await readFile(join(live, path), "utf8").catch(() => undefined)) === text,
        ),
      );
      return same.every(Boolean);
    },
    async place(uid, digest) {
      const files = await bundle(digest);
      const before = (await mark())?.paths ?? [];
      const paths = [...new Set([...before, ...Object.keys(files)])];
      await mkdir(own, { recursive: true, mode: 0o700 });
      // Both lots are marked as ours while files are changed, so that a crash forgets none.
      await replace(markFile, JSON.stringify({ uid, bundle: "", paths } satisfies Mark), 0o600);
      for (const path of before) if (!Object.hasOwn(files, path)) await removeBelow(live, path);
      for (const [path, text] of Object.entries(files)) await writeBelow(live, path, text);
      const done: Mark = { uid, bundle: digest, paths: Object.keys(files) };
      await replace(markFile, JSON.stringify(done), 0o600);
    },
    async keepOnly(digest) {
      const all = await readdir(join(own, "bundles")).catch(ifMissing([]));
      for (const one of all) if (one !== digest) await rm(stageOf(one), { recursive: true, force: true });
    },
    async clear() {
      for (const path of (await mark())?.paths ?? []) await removeBelow(live, path);
      const left = await readdir(live).catch(ifMissing([]));
      if (left.length === 0) await rmdir(live).catch(ifMissing(undefined));
      await rm(own, { recursive: true, force: true });
      return left.map((name) => join(live, name));
    },
  };
}

/** A container may have put a link where a folder was: nothing is written through one. */
async function writeBelow(root: string, path: string, text: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  let folder = root;
  for (const part of path.split("/").slice(0, -1)) {
    folder = join(folder, part);
    await mkdir(folder, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if (!(await lstat(folder)).isDirectory())
      throw new Error(`${folder} is not a folder: ${path} has no place`);
  }
  const file = join(root, path);
  const there = await lstat(file).catch(ifMissing(undefined));
  if (there?.isDirectory()) throw new Error(`${file} is a folder: the file ${path} has no place`);
  await replace(file, text, text.startsWith("#!") ? 0o755 : 0o644);
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  const next = `${file}.reeve-next`;
  await rm(next, { force: true });
  await writeFile(next, text, { mode, flag: "wx" });
  await rename(next, file);
}

/** With the folders that are empty by that, up to the root. */
async function removeBelow(root: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    if (
      !(await rmdir(join(root, folder)).then(
        () => true,
        () => false,
      ))
    )
      return;
}

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
