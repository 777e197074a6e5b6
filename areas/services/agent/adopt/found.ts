import { readFile, realpath, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { mostBytes } from "../../kinds/bundle.ts";
import type { FoundFiles, FoundProject } from "../../kinds/found.ts";
import { pathTrouble } from "../../kinds/path.ts";
import type { Compose } from "../compose.ts";
import { type Container, projectLabel } from "../engine/container.ts";
import type { Engine } from "../engine/engine.ts";
import { serviceLabel } from "../standing.ts";
import { folderLabel, rehearse } from "./agreeing.ts";

const filesLabel = "com.docker.compose.project.config_files";
const variablesMost = 256 * 1024;

/** The Compose projects of this host that no service keeps, by name. */
export async function findProjects(
  engine: Engine,
  adopted: ReadonlyMap<string, string>,
): Promise<FoundProject[]> {
  const all = await engine.labelled(projectLabel);
  const ours = new Set(
    all.filter(({ labels }) => labels[serviceLabel] !== undefined).map(({ project }) => project),
  );
  const foreign = all.filter(({ project }) => !ours.has(project) && !adopted.has(project));
  return [...Map.groupBy(foreign, ({ project }) => project)].map(([project, containers]) => ({
    project,
    folder: labelOf(containers, folderLabel),
    containers: containers.map(({ name, image, state }) => ({ name, image, state })),
  }));
}

/** What adopting one needs: its files, as they lie there, and what Compose would do with them. Throws in words. */
export async function readProject(
  engine: Engine,
  compose: Compose,
  found: FoundProject,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const { project, folder } = found;
  const containers = await engine.containers(project);
  const named = labelOf(containers, filesLabel)
    .split(",")
    .filter((name) => name !== "");
  if (folder === "" || named.length === 0)
    throw new Error(
      `the containers of ${project} do not say which files they are from: bring it up again with a current Compose`,
    );
  const files = await readFiles(folder, named);
  const variables = await readVariables(join(folder, ".env"));
  const order = { project, folder, compose: Object.keys(files), environment: {} };
  const changes = await rehearse(compose, order, folder, containers, signal);
  return { ...found, compose: order.compose, files, variables, clear: looksSecret(files), changes };
}

function labelOf(containers: readonly Container[], label: string): string {
  return containers.map(({ labels }) => labels[label] ?? "").find((text) => text !== "") ?? "";
}

/** Only what lies below the folder, also by where links lead: anything else of the host is nobody's business. */
async function readFiles(folder: string, named: readonly string[]): Promise<Record<string, string>> {
  const root = await realpath(folder).catch(() => {
    throw new Error(`its folder ${folder} is not there any more`);
  });
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const name of named) {
    const file = resolve(folder, name);
    const path = relative(folder, file);
    const real = await realpath(file).catch(() => {
      throw new Error(`its file ${file} is not there any more`);
    });
    if (pathTrouble(path) !== undefined || relative(root, real) !== path)
      throw new Error(
        `its file ${file} lies outside of ${folder}: bring the files together in one folder first`,
      );
    const { size, isFile } = await stat(real).then((one) => ({ size: one.size, isFile: one.isFile() }));
    bytes += size;
    if (!isFile || bytes > mostBytes)
      throw new Error(`its files are too large to be Compose files: more than ${mostBytes / 1024} KiB`);
    files[path] = await readFile(real, "utf8");
  }
  return files;
}

/** Their names alone: values may be secrets, and stay where they are. */
async function readVariables(file: string): Promise<string[]> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > variablesMost) return [];
  const names = (await readFile(file, "utf8")).matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm);
  return [...new Set([...names].map(([, name = ""]) => name))].sort();
}

const secretWords =
  /(passw|secret|token|api_?key|private_?key|credential)\w*["']?\s*[:=]\s*["']?(?!\$)[^\s"'#$]/i;

function looksSecret(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    text.split("\n").flatMap((line, at) => (secretWords.test(line) ? [`${path}:${at + 1}`] : [])),
  );
}
