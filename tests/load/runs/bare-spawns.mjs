/**
 * The physical limit of shell steps: a Node process as small as the agent's spawner that does nothing but start the same command under
 * the agent's own shim, with its output in files. Plain JavaScript, because what strips types would be half of its memory, and spawning slows with that.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

let number = 0;

function once({ folder, memory, shim, argv }) {
  const name = `${process.pid}-${number++}`;
  const own = join(folder, name);
  mkdirSync(own);
  const launch = join(memory, name);
  const args = [`${own}/record`, "'bench 1 0'", "22 '' '' ''", `${own}/out`, `${own}/err`, own, ...argv];
  const variables = "command export PATH=/usr/bin:/bin";
  writeFileSync(launch, `set -- ${args.join(" ")}\nvariables() { ${variables}; }\n`);
  const child = spawn("/bin/sh", [shim, launch], {
    detached: true,
    stdio: "ignore",
    env: {},
    cwd: "/",
  });
  return new Promise((done, failed) => {
    child.once("error", failed);
    // The shim ends with its group, by SIGKILL.
    child.once("exit", done);
  });
}

async function spawns({ count, lanes, ...what }) {
  let left = count;
  // Where the agent has what it tells its shims, too.
  const memory = mkdtempSync("/dev/shm/reeve-bare-");
  const lane = async () => {
    while (left-- > 0) await once({ ...what, memory });
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  rmSync(memory, { recursive: true });
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
