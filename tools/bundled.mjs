/**
 * An app as few files instead of hundreds: `apps/NAME/bundle.ts FOLDER` writes them and prints what they were made of. Kept in
 * `.cache/NAME`, and made anew when something in it has changed. JavaScript, so that nothing here loads a compiler.
 */
import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
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

/** Programs may still run from those before. */
const mostKept = 4;
const keptMs = 3_600_000;

/** The folder of the app's files; undefined where it cannot be made, so that the app runs from its sources. */
export function bundled(name, root = join(import.meta.dirname, "..")) {
  const cache = join(root, ".cache", name);
  return upToDate(cache, root) ?? made(name, cache, root);
}

/** The folder of the last one, if it was made of what is here now. */
function upToDate(cache, root) {
  try {
    const { name, sources } = JSON.parse(readFileSync(join(cache, "newest.json"), "utf8"));
    const folder = join(cache, name);
    accessSync(folder, constants.R_OK | constants.X_OK);
    return sources.every(([file, stamp]) => stampOf(root, file) === stamp) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function made(name, cache, root) {
  let folder;
  try {
    const begunAt = Date.now();
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, "made-"));
    // As the clone it is made of: whoever may run that runs this.
    chmodSync(folder, 0o755);
    const files = [...bundle(join(root, "apps", name, "bundle.ts"), folder), join(root, "package-lock.json")];
    // What was changed meanwhile may be in it or not: then it is used once, and the next start makes another.
    if (!files.some((file) => changedSince(begunAt, file))) makeKnown(folder, cache, root, files);
    removeOld(cache);
    return folder;
  } catch (error) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    // Somebody else's clone, or one that nobody may write.
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code))
      process.stderr.write(
        `reeve: ${name} could not be bundled, and runs from its sources: ${error.message}\n`,
      );
    return undefined;
  }
}

function bundle(script, folder) {
  const { status, stdout } = spawnSync(process.execPath, [script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error("see above");
  return stdout.split("\n").filter(Boolean);
}

/** A file dated tomorrow is no change. */
function changedSince(time, file) {
  const { mtimeMs } = statSync(file);
  return mtimeMs >= time && mtimeMs <= Date.now();
}

function makeKnown(folder, cache, root, files) {
  // Within the clone: one that was copied with its cache must not run the other's.
  const sources = files.map((file) => relative(root, file)).map((file) => [file, stampOf(root, file)]);
  writeFileSync(join(folder, "sources.json"), JSON.stringify({ name: relative(cache, folder), sources }));
  renameSync(join(folder, "sources.json"), join(cache, "newest.json"));
}

/** Those of the last hour stay in any case: several starts at once may each have made one and not yet loaded it. */
function removeOld(cache) {
  const folders = readdirSync(cache)
    .filter((name) => name.startsWith("made-"))
    .map((name) => join(cache, name));
  const byAge = folders
    .map((folder) => ({ folder, at: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  const old = byAge.slice(mostKept).filter(({ at }) => Date.now() - at > keptMs);
  for (const { folder } of old) rmSync(folder, { recursive: true, force: true });
}

/** Some hundred times at every start: with `join` that is enough to wake the optimizing compiler, which is 5 MB. */
function stampOf(root, file) {
  const { mtimeMs, size } = statSync(`${root}/${file}`);
  return `${mtimeMs} ${size}`;
}
