/**
 * Checks the house rules that a compiler does not: who imports whom, what browsers may load, honest package.json files, no `process.env`
 * outside config, no shells, no default exports, no nameless files. Prints `file:line: what is wrong`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { browserFindings } from "./rooms/browser.ts";
import { habitFindings } from "./rooms/habits.ts";
import { importFindings } from "./rooms/imports.ts";
import { type Package, packageFindings, readPackage } from "./rooms/packages.ts";
import { type Finding, readSource, type Source } from "./rooms/source.ts";

const HOUSE = ["core", "areas", "clients", "apps", "tests", "tools"];

export function findings(
  sources: readonly Source[],
  packages: readonly Package[],
  rootDevDependencies: readonly string[],
): Finding[] {
  return [
    ...importFindings(sources, packages),
    ...browserFindings(sources, packages),
    ...packageFindings(sources, packages, rootDevDependencies),
    ...habitFindings(sources),
  ];
}

function listFiles(): string[] {
  const args = [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate",
    "--",
    ...HOUSE,
  ];
  const files = execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 << 20 }).split("\0");
  // The index may still name files that were deleted a moment ago.
  return files.filter((file) => /\.(ts|tsx|mjs|js)$/.test(file) && existsSync(file));
}

function main() {
  const sources = listFiles().map((file) => readSource(file, readFileSync(file, "utf8")));
  const manifests = globSync("{core,areas,clients,apps}/*/package.json");
  const packages = manifests.map((file) =>
    readPackage(file.slice(0, -"/package.json".length), readFileSync(file, "utf8")),
  );
  const root = readPackage(".", readFileSync("package.json", "utf8"));
  const found = findings(sources, packages, root.devDependencies);
  for (const { file, line, message } of found) console.log(`${file}:${line}: ${message}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

if (import.meta.main) main();
