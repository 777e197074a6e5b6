import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { quantiles } from "./quantiles.ts";

/** What a figure must be read beside. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly commit: string;
  readonly date: string;
  /** Of the folder the database is in. */
  readonly fileSystem: string;
  /** To make 8 KB durable there: the floor under every commit. */
  readonly syncMs: { readonly p50: number; readonly p99: number };
  /** Processes that wanted a core during the last minute, before we began: above 0.3 somebody else is measured too. */
  readonly loadBefore: number;
}

export function readMachine(folder: string): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: readFileSync("/proc/sys/kernel/osrelease", "utf8").trim(),
    node: process.version,
    commit: commit(),
    date: new Date().toISOString(),
    fileSystem: fileSystemOf(folder),
    syncMs: syncMs(folder),
    loadBefore: loadavg()[0] ?? 0,
  };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--", ":/core", ":/areas", ":/apps")
      .split("\n")
      .filter(Boolean).length;
    return `${git("rev-parse", "--short=12", "HEAD")}${changed > 0 ? ` with ${changed} changed files` : ""}`;
  } catch {
    return "unknown";
  }
}

/** The mount with the longest path that leads to the folder. */
function fileSystemOf(folder: string): string {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const leads = mounts.filter(
    ([, at]) => at !== undefined && (at === "/" || `${folder}/`.startsWith(`${at}/`)),
  );
  return (
    leads.sort((one, other) => (other[1] as string).length - (one[1] as string).length)[0]?.[2] ?? "unknown"
  );
}

function syncMs(folder: string): Machine["syncMs"] {
  const file = openSync(join(folder, "sync-probe"), "w");
  const block = Buffer.alloc(8192, 1);
  const times = Array.from({ length: 200 }, (_, index) => {
    const startedAt = performance.now();
    writeSync(file, block, 0, block.length, (index % 16) * block.length);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  const { p50, p99 } = quantiles(times);
  return { p50, p99 };
}
