import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";

/** The wall clock of one process and of what it starts: in time, until it is set. */
export interface SkewedClock {
  /** What the process is to be started with. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on it is off by so many seconds, all of a sudden, as after a person or a bad time server has set it. */
  set(offBySeconds: number): void;
}

/** Makes clocks. They are of the C library, so that OpenSSL too sees certificates by them. Needs the component `compiler`. */
export function clockMaker(bench: Bench): () => SkewedClock {
  const library = join(bench.folder(), "skewed-clock.so");
  const source = join(import.meta.dirname, "skewed-clock.c");
  const made = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`the clock cannot be made: ${made.stderr}`);
  return () => {
    const file = join(bench.folder(), "clock");
    const open = openSync(file, "w", 0o644);
    bench.keep({ end: () => closeSync(open) });
    const set = (seconds: number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(Math.round(seconds)));
      // In place: processes have this one mapped.
      writeSync(open, bytes, 0, 8, 0);
    };
    set(0);
    return { env: { LD_PRELOAD: library, TEST_CLOCK: file }, set };
  };
}
