import { createHash } from "node:crypto";
import { type GitPlace, readFiles, type TreeFile } from "@reeve/git";
import { type Bundle, mostBytes, packBundle } from "../../kinds/bundle.ts";
import { mostFiles, files as rules } from "../../kinds/files.ts";
import type { FolderRow } from "../../store/index.ts";
import { ageText } from "../encrypted/age.ts";

/** The folders that are not as they were known, read anew; of the others nothing is read. */
export async function changedFolders(
  place: GitPlace,
  tree: readonly TreeFile[],
  wanted: { readonly folders: ReadonlySet<string>; readonly path: string; readonly revision: string },
  known: readonly Pick<FolderRow, "folder" | "tree">[],
): Promise<FolderRow[]> {
  const trees = new Map(known.map((one) => [one.folder, one.tree]));
  const found: FolderRow[] = [];
  for (const folder of wanted.folders) {
    const prefix = [wanted.path, folder].flatMap((part) => (part === "" ? [] : [`${part}/`])).join("");
    const inside = tree.filter(({ path }) => path.startsWith(prefix));
    const key = digestOf(inside.map(({ path, kind, object }) => `${path}\0${kind}\0${object}`).join("\n"));
    if (trees.get(folder) === key) continue;
    const read = await readFolder(place, inside, prefix);
    const content = packBundle(read.files);
    const row = { folder, tree: key, revision: wanted.revision, digest: digestOf(content), content };
    found.push({ ...row, trouble: read.trouble });
  }
  return found;
}

/** The files of a folder, or why they cannot be a service's. */
async function readFolder(
  place: GitPlace,
  inside: readonly TreeFile[],
  prefix: string,
): Promise<{ files: Bundle; trouble: string }> {
  const trouble = troubleWith(inside, prefix);
  if (trouble !== undefined) return { files: {}, trouble };
  const contents = await readFiles(place, inside);
  const texts: Record<string, string> = {};
  for (const [at, { path }] of inside.entries()) {
    const content = contents[at] as Buffer;
    const text = path.endsWith(".age") ? ageText(content) : asText(content);
    if (text === undefined) return { files: {}, trouble: `${path} is not text: put data where it is used` };
    texts[path.slice(prefix.length)] = text;
  }
  const checked = rules.safeParse(texts);
  return checked.success
    ? { files: texts, trouble: "" }
    : {
        files: {},
        trouble: `${prefix}${checked.error.issues[0]?.path.join("/")}: ${checked.error.issues[0]?.message}`,
      };
}

/** Before anything is read of it. */
function troubleWith(inside: readonly TreeFile[], prefix: string): string | undefined {
  if (inside.length === 0) return `the repository has no folder ${prefix.slice(0, -1) || "with files"}`;
  const strange = inside.find(({ kind }) => kind !== "file");
  if (strange !== undefined)
    return `${strange.path} is a ${strange.kind === "link" ? "symbolic link" : strange.kind}, which is not followed`;
  const bytes = inside.reduce((sum, one) => sum + one.bytes, 0);
  if (inside.length > mostFiles)
    return `${prefix} has ${inside.length} files, and at most ${mostFiles} are allowed`;
  return bytes > mostBytes ? `${prefix} has ${bytes} bytes, and at most ${mostBytes} are allowed` : undefined;
}

export function asText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
