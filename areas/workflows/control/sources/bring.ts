import type { LookAt } from "@reeve/control";
import { listDependents } from "@reeve/store";
import { type FetchedFile, fileAnnotation, type SourceSpec, type SyncedFile } from "../../kinds/index.ts";
import { type Found, wordsOf, workflowsIn } from "./read.ts";

const atOnce = 50;
const messageChars = 1000;
/** More than a Source can bring. */
const ownedMost = 10_000;

/** Makes the workflows of the scope be as the files of a commit say, each for itself; and lets go what has no file any more. */
export async function bring(
  look: Pick<LookAt, "resource" | "tools" | "applyOwned" | "removeOwned">,
  commit: string,
  files: readonly FetchedFile[],
): Promise<SyncedFile[]> {
  const { metadata, spec } = look.resource;
  const found = onceEach(files.flatMap((file) => workflowsIn(file, metadata)));
  const brought: SyncedFile[] = [];
  for (let at = 0; at < found.length; at += atOnce)
    brought.push(
      ...(await Promise.all(found.slice(at, at + atOnce).map((one) => applyOne(look, commit, one)))),
    );
  if ((spec as unknown as SourceSpec).prune) await prune(look, commit, brought);
  return brought;
}

/** Two files cannot both have their way: the first by its path is the one. */
function onceEach(found: readonly Found[]): Found[] {
  const paths = new Map<string, string>();
  return found.map((one) => {
    if ("error" in one) return one;
    const { name } = one.manifest.metadata;
    const first = paths.get(name);
    if (first !== undefined)
      return {
        path: one.path,
        error: `${one.place("/metadata/name")}: ${name} is defined in ${first} already`,
      };
    paths.set(name, one.path);
    return one;
  });
}

async function applyOne(
  { applyOwned }: Pick<LookAt, "applyOwned">,
  commit: string,
  one: Found,
): Promise<SyncedFile> {
  const { path } = one;
  if ("error" in one) return { path, state: "failed", message: one.error.slice(0, messageChars) };
  const { name: workflow } = one.manifest.metadata;
  try {
    await applyOwned(one.manifest, `${path} of commit ${commit}`);
    return { path, workflow, state: "ok" };
  } catch (error) {
    return { path, workflow, state: "failed", message: wordsOf(error, one.place).slice(0, messageChars) };
  }
}

/** What a file that cannot be read would have said is not known, so what it said before stays. */
async function prune(
  { resource, tools, removeOwned }: Pick<LookAt, "resource" | "tools" | "removeOwned">,
  commit: string,
  brought: readonly SyncedFile[],
): Promise<void> {
  const named = new Set(brought.map(({ workflow }) => workflow));
  const unreadable = new Set(brought.flatMap(({ path, workflow }) => (workflow === undefined ? [path] : [])));
  const owned = await listDependents(tools.database, { uid: resource.metadata.uid }, ownedMost);
  for (const { kind, metadata } of owned) {
    const { scope, name, annotations, deletingAt } = metadata;
    const path = annotations[fileAnnotation] ?? "";
    if (kind !== "Workflow" || named.has(name) || unreadable.has(path) || deletingAt !== undefined) continue;
    await removeOwned({ kind, scope, name }, `${path} is not in commit ${commit}`);
  }
}
