/**
 * The agent of a clone. It runs as the bundle that hosts get, because that takes 69 MB of memory and the same as modules 88 MB; it is
 * made anew when something in it has changed. JavaScript, so that nothing here loads a compiler.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const cache = join(root, ".cache/agent");
const newest = join(cache, "newest.json");
/** Agents may still run from those before. */
const mostKept = 4;

await import(join(upToDate() ?? made(), "reeve-agent.mjs"));

/** The folder of the last one, if it was made of what is here now. */
function upToDate() {
  try {
    const { name, sources } = JSON.parse(readFileSync(newest, "utf8"));
    const folder = join(cache, name);
    return sources.every(([file, stamp]) => stampOf(file) === stamp) && statSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function made() {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "made-"));
  const bundle = [join(import.meta.dirname, "bundle.ts"), folder];
  const { status, stdout } = spawnSync(process.execPath, bundle, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error("the agent could not be bundled; see above");
  const sources = stdout
    .split("\n")
    .filter(Boolean)
    // Within the clone: one that was copied with its cache must not run the other's agent.
    .map((file) => relative(root, file))
    .map((file) => [file, stampOf(file)]);
  writeFileSync(join(folder, "sources.json"), JSON.stringify({ name: relative(cache, folder), sources }));
  renameSync(join(folder, "sources.json"), newest);
  removeOld();
  return folder;
}

function removeOld() {
  const folders = readdirSync(cache)
    .filter((name) => name.startsWith("made-"))
    .map((name) => join(cache, name));
  const byAge = folders
    .map((folder) => ({ folder, at: statSync(folder).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { folder } of byAge.slice(mostKept)) rmSync(folder, { recursive: true, force: true });
}

/** Some hundred times at every start: with `join` that is enough to wake the optimizing compiler, which is 5 MB. */
function stampOf(file) {
  const { mtimeMs, size } = statSync(`${root}/${file}`);
  return `${mtimeMs} ${size}`;
}
