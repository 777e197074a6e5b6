import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as pause, setTimeout as sleep } from "node:timers/promises";
import { startTimeIn } from "./record.ts";

/** Changes with every start of the host. */
export function bootId(): string {
  return read("/proc/sys/kernel/random/boot_id").trim() || "unknown";
}

/** Whether this very process is alive, and not another that got its number. */
export function isAlive({ pid, pidStart }: { readonly pid: number; readonly pidStart: string }): boolean {
  if (!pidStart) return signal(pid, 0);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return startTimeIn(stat) === pidStart && !isZombie(stat);
  } catch (error) {
    // When we cannot look (too many open files), nobody may take it for dead.
    return !["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** The shim leads its group. False when there is none. */
export function signalGroup(pid: number, name: NodeJS.Signals): boolean {
  return signal(-pid, name);
}

const GATHER_MS = 50;
let gathered: { readonly marks: Set<string>; readonly done: Promise<void> } | undefined;

/**
 * Kills what carries the mark in its environment, until nothing does: children that made a session of their own, and so are in no
 * group of ours. One pass over /proc takes some 20 µs a process, so it is done only for what was stopped, and once for all that
 * are stopped together.
 */
export function killMarked(mark: string): Promise<void> {
  if (!gathered) {
    const marks = new Set<string>();
    gathered = { marks, done: sleep(GATHER_MS).then(() => killAllMarked(marks)) };
  }
  gathered.marks.add(mark);
  return gathered.done;
}

async function killAllMarked(marks: ReadonlySet<string>): Promise<void> {
  gathered = undefined;
  for (let pass = 0; pass < 20; pass++) {
    const found = await pidsWith(marks);
    if (found.length === 0) return;
    for (const pid of found) signal(pid, "SIGKILL");
    await sleep(10);
  }
}

/** With pauses: a host may have thousands of processes, and the agent must beat. */
async function pidsWith(marks: ReadonlySet<string>): Promise<number[]> {
  const found: number[] = [];
  for (const [at, pid] of processIds().entries()) {
    if (at % 100 === 99) await pause();
    const environment = read(`/proc/${pid}/environ`);
    if (environment.includes("REEVE_OUTPUTS=") && environment.split("\0").some((line) => marks.has(line)))
      found.push(pid);
  }
  return found;
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1 && pid !== process.pid);
  } catch {
    return [];
  }
}

function isZombie(stat: string): boolean {
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Processes come and go while one looks. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
