import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { GitFailed, type GitPlace, listTree, readFiles, type TreeFile } from "@reeve/git";
import { readDefinitions } from "../../kinds/definitions/read.ts";
import { type FetchedFile, isScript } from "../../kinds/index.ts";

const limits = { files: 2000, fileBytes: 512 * 1024, readBytes: 64 * 1024 * 1024 };

const isNamed = (path: string) => /\.workflow\.ya?ml$/.test(path);
const isYaml = (path: string) => /\.ya?ml$/.test(path);
const isProgram = (path: string) => path.endsWith(".workflow.ts");
/** What a program may want to read beside itself. */
const isBeside = (path: string) => /\.(ts|mts|js|mjs|json)$/.test(path);

interface Collecting extends GitPlace {
  readonly commit: string;
  readonly path: string | undefined;
  /** An empty folder, for programs. */
  readonly scratch: string;
}

/** All files of a commit that stand for workflows. What is wrong with one of them is said of it and hurts no other. */
export async function collect(asked: Collecting): Promise<FetchedFile[]> {
  const tree = await listTree(asked, asked.commit, asked.path);
  const meant = tree.filter(
    ({ path }) =>
      isNamed(path) || isProgram(path) || isYaml(path) || (asked.path !== undefined && isScript(path)),
  );
  const wanted = meant.filter((file) => troubleOf(file) === undefined && !isProgram(file.path));
  bound(wanted);
  const contents = await readFiles(asked, wanted);
  const texts = wanted.flatMap((file, at) => textOf(file, contents[at] as Buffer));
  const refused = meant.flatMap((file) => {
    const error = isNamed(file.path) || !isYaml(file.path) ? troubleOf(file) : undefined;
    return error === undefined ? [] : [{ path: file.path, error }];
  });
  const programs = meant.filter((file) => isProgram(file.path) && troubleOf(file) === undefined);
  const found = [...texts, ...refused, ...(await runPrograms(asked, tree, programs))];
  if (found.length > limits.files)
    throw new GitFailed(
      `${found.length} files with workflows, and ${limits.files} are allowed: set a path`,
      null,
    );
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function troubleOf({ kind, bytes }: TreeFile): string | undefined {
  if (kind !== "file") return `is a ${kind === "link" ? "symbolic link" : kind}, which is not followed`;
  return bytes > limits.fileBytes ? `is ${bytes} bytes, and ${limits.fileBytes} are allowed` : undefined;
}

function bound(files: readonly TreeFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.readBytes)
    throw new GitFailed(`${bytes} bytes of YAML and scripts would have to be read: set a path`, null);
}

/** YAML of other names may be anything; it counts when a document in it says that it is a Workflow. */
function textOf({ path }: TreeFile, content: Buffer): FetchedFile[] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    const counts = isNamed(path) || isScript(path) || /^\s*["']?kind["']?:\s*["']?Workflow\b/m.test(text);
    return counts ? [{ path, text }] : [];
  } catch {
    return isNamed(path) || isScript(path) ? [{ path, error: "is not UTF-8 text" }] : [];
  }
}

/** Programs run as `reeve apply` runs them: apart, seeing only their folder, for seconds. */
async function runPrograms(
  asked: Collecting,
  tree: readonly TreeFile[],
  programs: readonly TreeFile[],
): Promise<FetchedFile[]> {
  if (programs.length === 0) return [];
  const beside = tree.filter((file) => isBeside(file.path) && troubleOf(file) === undefined);
  bound(beside);
  const contents = await readFiles(asked, beside);
  for (const [at, file] of beside.entries()) {
    const target = join(asked.scratch, file.path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, contents[at] as Buffer);
  }
  const made: FetchedFile[] = [];
  for (const { path } of programs) {
    asked.signal.throwIfAborted();
    try {
      made.push({ path, manifests: await readDefinitions(join(asked.scratch, path)) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      made.push({ path, error: why.replaceAll(`${asked.scratch}/`, "").replace(`${path}: `, "") });
    }
  }
  return made;
}
