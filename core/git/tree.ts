import { GitFailed, type GitPlace, git } from "./command.ts";

/** A file of a commit. Links and submodules are listed too, so that it can be said that they are not followed. */
export interface TreeFile {
  readonly path: string;
  readonly kind: "file" | "link" | "submodule";
  readonly object: string;
  readonly bytes: number;
}

/** Enough for half a million files; a tree that is made to be endless is not read to its end. */
const listBytes = 64 * 1024 * 1024;

/** What lies below the folder, by what the commit says: nothing is ever checked out, so no link, hook or filter has a chance. */
export async function listTree(
  place: GitPlace,
  commit: string,
  folder: string | undefined,
): Promise<TreeFile[]> {
  const args = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit];
  const below = folder === undefined ? [] : [`${folder}/`];
  const listed = await git({ ...place, args: [...args, ...below], mostBytes: listBytes });
  const lines = listed.toString("utf8").split("\0").slice(0, -1);
  if (lines.length === 0 && folder !== undefined) throw new GitFailed(`there is no folder ${folder}`, null);
  return lines.flatMap((line) => {
    const [, mode = "", object = "", size = "", path = ""] =
      /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(line) ?? [];
    return isPlain(path) ? [{ path, kind: kindOf(mode), object, bytes: Number(size) || 0 }] : [];
  });
}

/** Git itself makes no other paths, but a commit can be made by anything. */
function isPlain(path: string): boolean {
  return (
    path !== "" && !path.includes("\\") && path.split("/").every((part) => !/^(|\.|\.\.|\.git)$/i.test(part))
  );
}

function kindOf(mode: string): TreeFile["kind"] {
  if (mode.startsWith("100")) return "file";
  return mode === "120000" ? "link" : "submodule";
}

/** The contents of these files, in their order. */
export async function readFiles(place: GitPlace, files: readonly TreeFile[]): Promise<Buffer[]> {
  if (files.length === 0) return [];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const all = await git({
    ...place,
    args: ["cat-file", "--batch"],
    stdin: files.map(({ object }) => `${object}\n`).join(""),
    mostBytes: bytes + files.length * 200,
  });
  let at = 0;
  return files.map((file) => {
    // `<object> blob <size>`, a line break, the contents, a line break.
    at = all.indexOf(10, at) + 1;
    const content = all.subarray(at, at + file.bytes);
    at += file.bytes + 1;
    return content;
  });
}
