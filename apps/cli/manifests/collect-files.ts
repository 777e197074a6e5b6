import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { Fault } from "@reeve/model";
import { Usage } from "@reeve/sdk/cli";

export interface ManifestFile {
  readonly source: string;
  readonly text: string;
}

const endings = [".yaml", ".yml", ".json"];

/** Reads what `-f` names: files, folders with everything below, `-` for stdin. */
export async function collectFiles(
  paths: readonly string[],
  stdin: () => Promise<string>,
): Promise<ManifestFile[]> {
  if (paths.length === 0) throw new Usage("say which files", "use -f FILE, -f FOLDER or -f -");
  if (paths.filter((path) => path === "-").length > 1) throw new Usage("stdin can be read only once");
  const files: ManifestFile[] = [];
  for (const path of paths) {
    if (path === "-") files.push({ source: "stdin", text: await stdin() });
    else for (const file of filesAt(path)) files.push({ source: file, text: readText(file) });
  }
  return files;
}

function filesAt(path: string): string[] {
  if (/^https?:\/\//.test(path))
    throw new Usage(`${path} is an address`, "download it first, and read it before you apply it");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new Usage(`there is no file ${path}`);
  if (!stat.isDirectory()) return [path];
  const found = inFolder(path);
  if (found.length === 0) throw new Usage(`no ${endings.join(", ")} files below ${path}`);
  return found;
}

/** Sorted, so that the same folder is always applied in the same order. A link to a folder is not followed: it may lead in a circle. */
function inFolder(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return inFolder(path);
    const isFile =
      entry.isFile() || (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile());
    return isFile && endings.includes(extname(entry.name)) ? [path] : [];
  });
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new Fault("invalid", `${file} cannot be read: ${(error as Error).message}`, {
      next: "nothing was sent",
    });
  }
}
