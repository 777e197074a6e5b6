/**
 * The physical limit of shell steps: a Node process of some 45 MB that does nothing but start the same command under the agent's own
 * shim, with its output in files. Plain JavaScript, because what strips types would be half of its memory, and spawning slows with that.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

let number = 0;

function once({ folder, shim, argv }) {
  const own = join(folder, String(number++));
  mkdirSync(own);
  const out = openSync(join(own, "out"), "a");
  const err = openSync(join(own, "err"), "a");
  const child = spawn("/bin/sh", [shim, join(own, "record"), "bench", "22", "", "", "", ...argv], {
    detached: true,
    stdio: ["ignore", out, err],
    env: { PATH: "/usr/bin:/bin" },
    cwd: own,
  });
  closeSync(out);
  closeSync(err);
  return new Promise((done, failed) => {
    child.once("error", failed);
    // The shim ends with its group, by SIGKILL.
    child.once("exit", done);
  });
}

async function spawns({ count, lanes, ...what }) {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await once(what);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  return { perSecond, residentMb: process.memoryUsage.rss() / 1e6 };
}

process.on("message", ({ input }) =>
  spawns(input).then(
    (result) => process.send({ result }),
    (error) => process.send({ problem: String(error) }),
  ),
);
process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {});
