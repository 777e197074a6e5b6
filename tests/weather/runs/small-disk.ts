import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../../harness/bench.ts";

/** A disk of 64 MB, to be filled. Undefined where nothing may be mounted: then the storm is without this fault. */
export function smallDisk(bench: Bench): { folder: string; fill: () => () => void } | undefined {
  const folder = bench.folder();
  const mounted = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64m,mode=711", "tmpfs", folder]);
  if (mounted.status !== 0) return undefined;
  bench.keep({ end: () => void spawnSync("/bin/umount", ["-l", folder]) });
  const filling = join(folder, "filling");
  return {
    folder,
    fill() {
      for (let bytes = 1024 * 1024; bytes >= 1024; bytes /= 2)
        try {
          for (;;) writeFileSync(filling, Buffer.alloc(bytes), { flag: "a" });
        } catch {
          // No room for so much.
        }
      return () => rmSync(filling, { force: true });
    },
  };
}
