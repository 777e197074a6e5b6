import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { Fault } from "@reeve/model";
import type { YamlDocument } from "@reeve/model/yaml";
import { Usage } from "@reeve/sdk/cli";
import { isScript, workflowOfScript } from "@reeve/workflows/kinds";
import { readDefinitions } from "@reeve/workflows/kinds/definitions";

export interface ManifestFile {
  readonly source: string;
  readonly text: string;
  /** Of a script or a program: what it stands for. */
  readonly documents?: readonly YamlDocument[];
  /** Of an archive: what is wrong with it hurts no other file. */
  readonly apart?: { readonly error?: string };
}

const endings = [".yaml", ".yml", ".json"];
const program = ".workflow.ts";

/**
 * Reads what `-f` names: files, folders with everything below, archives, `-` for stdin. A script that is named by itself is a workflow; in a
 * folder it may be anything, and is left alone.
 */
export async function collectFiles(
  paths: readonly string[],
  stdin: () => Promise<string>,
): Promise<ManifestFile[]> {
  if (paths.length === 0) throw new Usage("say which files", "use -f FILE, -f FOLDER or -f -");
  if (paths.filter((path) => path === "-").length > 1) throw new Usage("stdin can be read only once");
  const files: ManifestFile[] = [];
  for (const path of paths) {
    if (path === "-") files.push({ source: "stdin", text: await stdin() });
    else
      for (const file of filesAt(path))
        files.push(...(isArchive(file) ? await inArchive(file) : [await readFile(file)]));
  }
  return files;
}

function isArchive(path: string): boolean {
  return /\.(zip|tar\.gz|tgz)$/.test(path);
}

/** `bundle.zip/team.yaml`. A program in it cannot be run where it lies. */
async function inArchive(archive: string): Promise<ManifestFile[]> {
  // What unpacks makes its tables when it is loaded, which is a tenth of the start of every command.
  const { readArchive } = await import("./read-archive.ts");
  const found = readArchive(archive, isManifest).map(({ name, text = "", error }) => {
    const why = name.endsWith(program) ? "is a program: unpack the archive and apply it from there" : error;
    return { source: `${archive}/${name}`, text, apart: why === undefined ? {} : { error: why } };
  });
  if (found.length === 0) throw new Usage(`no ${endings.join(", ")} files in ${archive}`);
  return found;
}

function isManifest(name: string): boolean {
  return endings.includes(extname(name)) || name.endsWith(program);
}

async function readFile(file: string): Promise<ManifestFile> {
  const text = readText(file);
  if (file.endsWith(program)) return standsFor(file, text, await readDefinitions(file));
  return isScript(file) ? standsFor(file, text, [workflowOfScript(file, text)]) : { source: file, text };
}

/** A field of what a program made has no line in it. */
function standsFor(source: string, text: string, manifests: readonly unknown[]): ManifestFile {
  return { source, text, documents: manifests.map((value) => ({ value, place: () => source })) };
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
    return isFile && isManifest(entry.name) ? [path] : [];
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
