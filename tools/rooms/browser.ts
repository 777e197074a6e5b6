/** The rule that nothing a browser loads reaches what only Node has. */
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { Package } from "./packages.ts";
import { type Finding, isTest, isTesting, type Source } from "./source.ts";

/** Where browsers come in: the rooms made for them, and the entrances that they share with everybody. */
const ENTRANCES = [
  /^(apps\/console|clients\/kit|areas\/[^/]+\/web)\//,
  /^core\/model\/index\.ts$/,
  /^clients\/sdk\/(index|kinds)\.ts$/,
  /^areas\/[^/]+\/kinds\/index\.ts$/,
];

export function browserFindings(sources: readonly Source[], packages: readonly Package[]): Finding[] {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const reached = new Set(
    sources
      .map(({ file }) => file)
      .filter((file) => !isForTests(file) && ENTRANCES.some((one) => one.test(file))),
  );
  const findings: Finding[] = [];
  for (const file of reached) {
    for (const { specifier, line, names } of byFile.get(file)?.imports ?? []) {
      if (names[0] === "type") continue;
      if (isBuiltin(specifier))
        findings.push({ file, line, message: `browsers load this, and have no ${specifier}` });
      const target = fileOf(file, specifier, packages);
      if (target !== undefined && byFile.has(target)) reached.add(target);
    }
  }
  return findings;
}

const isForTests = (file: string) => isTest(file) || isTesting(file) || file.endsWith(".config.ts");

/** The file an import of ours leads a browser to. */
function fileOf(file: string, specifier: string, packages: readonly Package[]): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  const own = packages.find((one) => file.startsWith(`${one.folder}/`));
  const found = specifier.startsWith("#")
    ? own && { folder: own.folder, way: own.imports[specifier]?.browser }
    : entranceOf(specifier, packages);
  return found?.way && posix.join(found.folder, found.way);
}

function entranceOf(specifier: string, packages: readonly Package[]) {
  const [scope, name, ...rest] = specifier.split("/");
  const found = packages.find((one) => one.name === `${scope}/${name}`);
  return found && { folder: found.folder, way: found.exports[[".", ...rest].join("/")] };
}
