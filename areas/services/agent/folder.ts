import { createHash } from "node:crypto";
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bundle } from "../kinds/bundle.ts";
import { packBundle, readBundle } from "../kinds/bundle.ts";

/**
 * What a service has on its host. `live` is its folder, the same for all generations: files of the bundle are replaced there one
 * by one, and whatever else lies beside them (`./data`) is somebody's data and is left alone. `own` is the keeper's.
 */
export interface Folder {
  readonly live: string;
  /** The override that marks the containers as ours. */
  readonly labels: string;
  /** The files of a bundle, apart from the others, for Compose to check before anything is touched. */
  stage(digest: string, from: BundleFrom): Promise<string>;
  bundle(digest: string): Promise<Bundle>;
  /** What its encrypted files hold. */
  opened(digest: string): Promise<Bundle>;
  /** The uid of the service that has this folder and project; undefined when nobody has. */
  owner(): Promise<string | undefined>;
  /** Of a project that was adopted: what ran before Reeve did. */
  adopted(): Promise<Adopted | undefined>;
  /** Whether it is being adopted, and no generation has settled yet. */
  isAdopting(): Promise<boolean>;
  /** Whether the files of the bundle, and no others of ours, are in place. */
  isPlaced(digest: string): Promise<boolean>;
  place(uid: string, digest: string, adopted: Adopted): Promise<void>;
  /** Notes the images that a bundle needs. */
  needsImages(digest: string, images: readonly string[]): Promise<void>;
  /** It is kept from now on: other bundles are of no more use. */
  settle(digest: string): Promise<void>;
  /** Our files and marks go. What else is there stays, and is named; of an adopted folder, all of it. */
  clear(): Promise<string[]>;
}

/** Of each service of a project: our digest of its configuration, and the hash by which Compose knew its containers then. */
export type Adopted = Readonly<Record<string, { readonly config: string; readonly hash: string }>>;

/** Where a bundle comes from. `sealed` are the encrypted ones of its files: what they hold is asked for apart. */
interface BundleFrom {
  readonly sealed: readonly string[];
  fetch(): Promise<Buffer>;
  open(): Promise<Buffer>;
}

interface Mark {
  readonly uid: string;
  readonly bundle: string;
  readonly paths: readonly string[];
  readonly adopted?: Adopted | undefined;
  readonly adopting?: true | undefined;
  /** Of the generation that settled last and of those before, the newest first: what may be gone back to. */
  readonly images?: readonly (readonly string[])[] | undefined;
}

const generationsBack = 3;

/** No project is called so. */
const ownFolder = ".reeve";

/** `elsewhere` is the folder of a project that was adopted: it lies where it lay. */
export function folderOf(root: string, project: string, elsewhere?: string): Folder {
  const live = elsewhere ?? join(root, project);
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

  async function opened(digest: string): Promise<Bundle> {
    const text = await readFile(join(stageOf(digest), "opened.json"), "utf8").catch(ifMissing("{}"));
    return readBundle(text);
  }

  async function stage(digest: string, { sealed, fetch, open }: BundleFrom): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error("the bundle has no address");
    const staged = stageOf(digest);
    const files = join(staged, "files");
    if (await stat(join(staged, "bundle.json")).catch(ifMissing(undefined))) {
      if (elsewhere !== undefined) await linkOthers(elsewhere, files);
      return files;
    }
    const content = await fetch();
    if (createHash("sha256").update(content).digest("hex") !== digest)
      throw new Error("the bundle is not the one that was asked for");
    const given = Object.entries(readBundle(content.toString("utf8")));
    const held = sealed.length === 0 ? {} : readBundle((await open()).toString("utf8"));
    const all = { ...Object.fromEntries(given.filter(([path]) => !sealed.includes(path))), ...held };
    await rm(staged, { recursive: true, force: true });
    await writeAll(files, all, held);
    await writeFile(join(staged, "opened.json"), JSON.stringify(held), { mode: 0o600 });
    // Last: whoever finds it finds all of it.
    await writeFile(join(staged, "bundle.json"), packBundle(all), { mode: 0o600 });
    if (elsewhere !== undefined) await linkOthers(elsewhere, files);
    return files;
  }

  return {
    live,
    labels: join(own, "labels.yaml"),
    stage,
    bundle,
    opened,
    owner: async () => (await mark())?.uid,
    adopted: async () => (await mark())?.adopted,
    isAdopting: async () => (await mark())?.adopting === true,
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
    async place(uid, digest, adopted) {
      const files = await bundle(digest);
      const last = await mark();
      const before = last?.paths ?? [];
      const begun = elsewhere === undefined ? {} : { adopted, adopting: true as const };
      const { adopted: found, adopting, images } = last ?? (begun as Partial<Mark>);
      const kept = { adopted: found, adopting, images };
      const paths = [...new Set([...before, ...Object.keys(files)])];
      await mkdir(own, { recursive: true, mode: 0o700 });
      // Both lots are marked as ours while files are changed, so that a crash forgets none.
      await replace(markFile, JSON.stringify({ uid, bundle: "", paths, ...kept } satisfies Mark), 0o600);
      for (const path of before) if (!Object.hasOwn(files, path)) await removeBelow(live, path);
      await writeAll(live, files, await opened(digest));
      const done: Mark = { uid, bundle: digest, paths: Object.keys(files), ...kept };
      await replace(markFile, JSON.stringify(done), 0o600);
    },
    async needsImages(digest, images) {
      const file = join(stageOf(digest), imagesFile);
      const known = await readJson<string[]>(file, []);
      const all = [...new Set([...known, ...images])];
      if (all.length > known.length) await replace(file, JSON.stringify(all), 0o600);
    },
    async settle(digest) {
      const placed = await mark();
      const now = await readJson<string[]>(join(stageOf(digest), imagesFile), []);
      if (placed !== undefined) {
        const { adopting: _, images = [], ...rest } = placed;
        const others = images.filter((one) => one.join() !== now.join());
        const next: Mark = { ...rest, images: [now, ...others].slice(0, generationsBack) };
        await replace(markFile, JSON.stringify(next), 0o600);
      }
      const all = await readdir(join(own, "bundles")).catch(ifMissing([]));
      for (const one of all) if (one !== digest) await rm(stageOf(one), { recursive: true, force: true });
    },
    async clear() {
      if (elsewhere === undefined)
        for (const path of (await mark())?.paths ?? []) await removeBelow(live, path);
      const left = await readdir(live).catch(ifMissing([]));
      if (left.length === 0 && elsewhere === undefined) await rmdir(live).catch(ifMissing(undefined));
      await rm(own, { recursive: true, force: true });
      return elsewhere === undefined ? left.map((name) => join(live, name)) : [live];
    },
  };
}

/** The images of all services here: what they need, are about to need, and may go back to. */
export async function imagesNeeded(root: string): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const project of await readdir(join(root, ownFolder)).catch(ifMissing([]))) {
    const own = join(root, ownFolder, project);
    const { images = [] } = await readJson<Partial<Mark>>(join(own, "mark.json"), {});
    for (const image of images.flat()) needed.add(image);
    for (const bundle of await readdir(join(own, "bundles")).catch(ifMissing([])))
      for (const image of await readJson<string[]>(join(own, "bundles", bundle, imagesFile), []))
        needed.add(image);
  }
  return needed;
}

/** The Compose projects of all services here. */
export async function projectsKept(root: string): Promise<Set<string>> {
  return new Set(await readdir(join(root, ownFolder)).catch(ifMissing([])));
}

const imagesFile = "images.json";

async function readJson<T>(file: string, missing: T): Promise<T> {
  const text = await readFile(file, "utf8").catch(ifMissing(undefined));
  return text === undefined ? missing : (JSON.parse(text) as T);
}

/** What lies beside the files of an adopted project, such as `.env`, is there for Compose too when it reads them apart. */
async function linkOthers(live: string, files: string): Promise<void> {
  const own = new Set(await readdir(files));
  for (const name of await readdir(live))
    if (!own.has(name)) await symlink(join(live, name), join(files, name));
}

/** What was encrypted is for nobody else on the host. */
async function writeAll(root: string, files: Bundle, secret: Bundle): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const mode = text.startsWith("#!") ? 0o755 : 0o644;
    await writeBelow(root, path, text, Object.hasOwn(secret, path) ? mode & 0o700 : mode);
  }
}

/** A container may have put a link where a folder was: nothing is written through one. */
async function writeBelow(root: string, path: string, text: string, mode: number): Promise<void> {
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
  // What is there already stays as it is, with its owner and its rights.
  if (there?.isFile() && (await readFile(file, "utf8")) === text) return;
  if (there?.isDirectory()) throw new Error(`${file} is a folder: the file ${path} has no place`);
  await replace(file, text, mode);
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
