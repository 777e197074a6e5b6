import { readdirSync, readFileSync } from "node:fs";

/**
 * Cores in use on average, by who used them. `others` is whatever else this machine was doing, `stolen` what a
 * hypervisor kept for itself: both should be near 0, else a figure is of the neighbours too.
 */
export type CpuShares = Readonly<Record<string, number>> & {
  readonly others: number;
  readonly stolen: number;
};

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const tickMs = 10;

/** Begins to count; the function it returns ends the count. A group of processes is read anew each time. */
export function countCpu(groups: Readonly<Record<string, () => number>>): () => CpuShares {
  const names = Object.keys(groups);
  const read = () => names.map((name) => (groups[name] as () => number)());
  const before = read();
  const machineBefore = machineMs();
  const startedAt = performance.now();
  return () => {
    const elapsed = performance.now() - startedAt;
    const used = read().map((value, index) => Math.max(0, value - (before[index] as number)) / elapsed);
    const machine = machineMs();
    const busy = (machine.busy - machineBefore.busy) / elapsed;
    return {
      ...Object.fromEntries(names.map((name, index) => [name, used[index] as number])),
      others: Math.max(0, busy - used.reduce((sum, value) => sum + value, 0)),
      stolen: (machine.stolen - machineBefore.stolen) / elapsed,
    };
  };
}

export function processMs(pid: number): number {
  const [user = 0, system = 0] = statOf(pid);
  return (user + system) * tickMs;
}

/** A process with its children, those that have ended included. */
export function familyMs(parent: number): number {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = statOf(parent);
  const own = (user + system + childUser + childSystem) * tickMs;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, name) => sum + (parentOf(name) === parent ? processMs(Number(name)) : 0), own);
}

function statOf(pid: number): number[] {
  return fields(String(pid)).slice(11, 15).map(Number);
}

function parentOf(name: string): number {
  return Number(fields(name)[1]);
}

/** What follows the name in parentheses, which may itself hold spaces; a process that has gone has no fields. */
function fields(name: string): string[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Busy is user, nice, system, irq and softirq. */
function machineMs(): { busy: number; stolen: number } {
  const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const ticks = first.split(/ +/).slice(1).map(Number);
  const sum = (...columns: number[]) =>
    columns.reduce((total, column) => total + (ticks[column] ?? 0), 0) * tickMs;
  return { busy: sum(0, 1, 2, 5, 6), stolen: sum(7) };
}
