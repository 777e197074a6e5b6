import { readdirSync, readFileSync } from "node:fs";

/** Cores in use on average, by who used them. `others` is whatever else this machine was doing: it should be near 0. */
export type CpuShares = Readonly<Record<string, number>> & { readonly others: number };

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const tickMs = 10;

/** Begins to count; the function it returns ends the count. A group of processes is read anew each time. */
export function countCpu(groups: Readonly<Record<string, () => number>>): () => CpuShares {
  const names = Object.keys(groups);
  const read = () => names.map((name) => (groups[name] as () => number)());
  const before = read();
  const busyBefore = busyMs();
  const startedAt = performance.now();
  return () => {
    const elapsed = performance.now() - startedAt;
    const used = read().map((value, index) => Math.max(0, value - (before[index] as number)) / elapsed);
    const rest = (busyMs() - busyBefore) / elapsed - used.reduce((sum, value) => sum + value, 0);
    return {
      ...Object.fromEntries(names.map((name, index) => [name, used[index] as number])),
      others: Math.max(0, rest),
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

/** Time that any process spent computing: user, nice, system, irq and softirq. */
function busyMs(): number {
  const cpu = (readFileSync("/proc/stat", "utf8").split("\n")[0] as string).split(/ +/).slice(1).map(Number);
  return [0, 1, 2, 5, 6].reduce((sum, index) => sum + (cpu[index] ?? 0), 0) * tickMs;
}
