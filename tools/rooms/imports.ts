/** The rules about imports between rooms: who may, by which way, and never in a circle. */
import { posix } from "node:path";
import { mayImport, roomOf } from "./map.ts";
import type { Package } from "./packages.ts";
import { type Finding, isTest, isTesting, type Source } from "./source.ts";

/** Things outside the rooms' order that some files may import all the same. */
const ALSO: readonly { importer: (file: string) => boolean; target: RegExp }[] = [
  { importer: (file) => isTest(file) || isTesting(file), target: /^core\/store\/testing/ },
  { importer: (file) => isTest(file) || isTesting(file), target: /^tools\/components\.ts$/ },
  // Real things to test against.
  { importer: isTest, target: /^tests\/harness\/(bench|docker|until)\.ts$/ },
  // What starts before anything is installed cannot go through a package.
  { importer: (file) => /\.m?js$/.test(file), target: /^tools\/(with-setup|bundled)\.mjs$/ },
];

export function importFindings(sources: readonly Source[], packages: readonly Package[]): Finding[] {
  const findings = sources.flatMap((source) =>
    source.imports.flatMap((one) => {
      const message = refusal(source.file, one.specifier, packages);
      return message ? { file: source.file, line: one.line, message } : [];
    }),
  );
  return [...homeless(sources), ...findings, ...cycles(sources, packages)];
}

function refusal(file: string, specifier: string, packages: readonly Package[]): string | undefined {
  const from = roomOf(file);
  const target = targetOf(file, specifier, packages);
  if (!from || target === undefined || from === "tests" || from === "tools") return undefined;
  if (target === "") return `there is no package ${specifier}`;
  if (ALSO.some((one) => one.importer(file) && one.target.test(target))) return undefined;

  const to = roomOf(target) ?? target;
  if (!mayImport(from, to)) return `room ${from} may not import room ${to}`;
  if (isTesting(target) && !isTest(file) && !isTesting(file)) return `only tests may import ${target}`;
  if (specifier.startsWith(".") && folderOf(file) !== folderOf(target)) {
    return `import ${to} by its package name: ${specifier} reaches past its entrance`;
  }
  return undefined;
}

/** The path an import of ours leads to, "" if it leads nowhere; undefined for npm packages and Node's own. */
function targetOf(file: string, specifier: string, packages: readonly Package[]): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  if (!specifier.startsWith("@reeve/")) return undefined;
  const [scope, name, ...rest] = specifier.split("/");
  const found = packages.find((one) => one.name === `${scope}/${name}`);
  return found ? [found.folder, ...rest].join("/") : "";
}

const folderOf = (file: string) => file.split("/").slice(0, 2).join("/");

function homeless(sources: readonly Source[]): Finding[] {
  return sources
    .filter((source) => !roomOf(source.file))
    .map(({ file }) => ({
      file,
      line: 1,
      message: "stands in no room: move it, or add the room to tools/rooms/map.ts",
    }));
}

/** Of each room the rooms it imports, with one place where it does. */
type Graph = Map<string, Map<string, { file: string; line: number }>>;

function cycles(sources: readonly Source[], packages: readonly Package[]): Finding[] {
  const graph = graphOf(sources, packages);
  const found = new Map<string, Finding>();
  for (const room of graph.keys()) {
    const path = wayBack(graph, room);
    const place = path && graph.get(path.at(-1)!)?.get(room);
    if (!path || !place) continue;
    const message = `import cycle between rooms: ${[...path, room].join(" → ")}`;
    found.set([...path].sort().join(), { ...place, message });
  }
  return [...found.values()];
}

/** Tests do not count: they may look at what the room they test must not know. */
function graphOf(sources: readonly Source[], packages: readonly Package[]): Graph {
  const graph: Graph = new Map();
  for (const { file, imports } of sources.filter(({ file }) => !isTest(file) && !isTesting(file))) {
    const from = roomOf(file);
    for (const { specifier, line } of imports) {
      const target = targetOf(file, specifier, packages);
      const to = target ? roomOf(target) : undefined;
      if (!from || !to || from === to || from === "tools" || to === "tools") continue;
      const edges = graph.get(from) ?? new Map();
      graph.set(from, edges.has(to) ? edges : edges.set(to, { file, line }));
    }
  }
  return graph;
}

/** The shortest way from a room along its imports to one that imports it; breadth first, so never exponential. */
function wayBack(graph: Graph, room: string): string[] | undefined {
  const seen = new Set([room]);
  const paths: string[][] = [[room]];
  for (const path of paths) {
    for (const next of graph.get(path.at(-1)!)?.keys() ?? []) {
      if (next === room) return path;
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
