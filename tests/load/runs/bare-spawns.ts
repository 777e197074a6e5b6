import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Load } from "../measure/generator.ts";

/**
 * The physical limit of shell steps: a small Node process that does nothing but start the same command under the agent's own shim,
 * with its output in files.
 */
export const bareSpawns: Load<
  { folder: string; shim: string; argv: readonly string[] },
  { count: number; lanes: number },
  { perSecond: number; residentMb: number }
> = async ({ folder, shim, argv }) => {
  let number = 0;
  const once = () =>
    new Promise<void>((done, failed) => {
      const own = join(folder, String(number++));
      mkdirSync(own);
      const out = openSync(join(own, "out"), "a");
      const err = openSync(join(own, "err"), "a");
      const child = spawn("/bin/sh", [shim, join(own, "record"), "bench", "22", "", ...argv], {
        detached: true,
        stdio: ["ignore", out, err],
        env: { PATH: "/usr/bin:/bin" },
        cwd: own,
      });
      closeSync(out);
      closeSync(err);
      child.once("error", failed);
      // The shim ends with its group, by SIGKILL.
      child.once("exit", () => done());
    });
  return async ({ count, lanes }) => {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await once();
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: lanes }, lane));
    const perSecond = count / ((performance.now() - startedAt) / 1000);
    return { perSecond, residentMb: process.memoryUsage.rss() / 1e6 };
  };
};
