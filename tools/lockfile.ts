/**
 * Keeps `npm ci` working on a fresh clone. npm leaves a package out of package-lock.json when the registry in use
 * does not have it, as mirrors do with binaries for platforms nobody there runs, and then refuses its own lockfile:
 * "Missing: @biomejs/cli-win32-x64 from lock file". This adds the missing entries, with the exact version their
 * parent pins and the platform their name tells, so that npm skips them elsewhere and finds them where they exist.
 * Run it after `npm install`; `--check` only looks.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}
export type Packages = Record<string, Entry>;

const OS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const CPU = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** The entries that npm wants and the lockfile does not have. */
export function missingEntries(packages: Packages): Packages {
  const missing: Packages = {};
  for (const [folder, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (!isReachable(packages, folder, name))
        missing[`node_modules/${name}`] = entryFor(name, version, parent);
    }
  }
  return missing;
}

/** Node looks in the node_modules of the folder itself and then of each folder above it. */
function isReachable(packages: Packages, folder: string, name: string): boolean {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    if (packages[at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}

function entryFor(name: string, version: string, parent: Entry): Entry {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => OS.includes(word));
  const cpu = words.filter((word) => CPU.includes(word));
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.includes("gnu")
      ? ["glibc"]
      : [];
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(parent.dev && { dev: true }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

/** The project's own, and that of the systems the benchmarks are measured against. */
const FILES = ["package-lock.json", "tests/load/runs/peers/package-lock.json"];

function main(args: readonly string[]) {
  for (const file of FILES) complete(file, args.includes("--check"));
}

function complete(file: string, onlyLook: boolean) {
  const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Packages };
  const missing = missingEntries(lock.packages);
  const names = Object.keys(missing);
  if (names.length === 0) return;
  if (onlyLook) {
    console.log(
      `${file} lacks ${names.length} packages, so npm ci refuses it: ${names.slice(0, 3).join(", ")} …`,
    );
    console.log("Run: node_modules/.bin/node tools/lockfile.ts");
    process.exitCode = 1;
    return;
  }
  const all = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`);
  console.log(`added ${names.length} packages to ${file}`);
}

if (import.meta.main) main(process.argv.slice(2));
