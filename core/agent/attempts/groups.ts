import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "@reeve/model/fault";

/**
 * Control groups, for bodies with limits; the others go without, as a group costs 0.6 ms of some 2 ms a step. A limit that cannot
 * be kept is refused rather than forgotten. Version 1 has one tree a controller, version 2 has one for all.
 */
export interface Groups {
  readonly memory: string | undefined;
  readonly cpu: string | undefined;
}

export interface Limits {
  readonly memoryBytes?: number | undefined;
  readonly cpus?: number | undefined;
}

const MOUNT = "/sys/fs/cgroup";

/** The groups in which those of this agent's attempts are made, as far as we may write there. */
export function openGroups(agent: string): Groups {
  const own = readFileIfThere("/proc/self/cgroup").split("\n");
  if (existsSync(join(MOUNT, "cgroup.controllers"))) {
    const group = openVersion2(own.find((line) => line.startsWith("0::"))?.slice(3) ?? "/", agent);
    return { memory: group, cpu: group };
  }
  return { memory: openVersion1("memory", own, agent), cpu: openVersion1("cpu", own, agent) };
}

function openVersion1(controller: string, own: readonly string[], agent: string): string | undefined {
  const line = own.map((one) => one.split(":")).find(([, names]) => names?.split(",").includes(controller));
  const group = line && join(MOUNT, controller, line[2] ?? "/", agent);
  return group && tried(() => mkdirSync(group, { recursive: true })) ? group : undefined;
}

/** A group with processes has no controllers for groups below it: beside the unit's `agent` group, or at the very top. */
function openVersion2(own: string, agent: string): string | undefined {
  const parents = [...(basename(own) === "agent" ? [dirname(own)] : []), "/"];
  return parents
    .map((parent) => join(MOUNT, parent, agent))
    .find((group) =>
      tried(() => {
        writeFileSync(join(dirname(group), "cgroup.subtree_control"), "+memory +cpu");
        mkdirSync(group, { recursive: true });
        writeFileSync(join(group, "cgroup.subtree_control"), "+memory +cpu");
      }),
    );
}

/** The attempt's groups, made and limited, for the shim to put the body in. */
export function makeGroups(groups: Groups, name: string, { memoryBytes, cpus }: Limits): string[] {
  const made = new Set<string>();
  if (memoryBytes !== undefined) {
    const group = make(groups.memory, name, "memory");
    if (!tried(() => writeFileSync(join(group, "memory.max"), String(memoryBytes)))) {
      writeFileSync(join(group, "memory.limit_in_bytes"), String(memoryBytes));
      tried(() => writeFileSync(join(group, "memory.memsw.limit_in_bytes"), String(memoryBytes)));
    } else tried(() => writeFileSync(join(group, "memory.swap.max"), "0"));
    made.add(group);
  }
  if (cpus !== undefined) {
    const group = make(groups.cpu, name, "cpus");
    const [quota, period] = [Math.max(1000, Math.round(cpus * 100_000)), 100_000];
    if (!tried(() => writeFileSync(join(group, "cpu.max"), `${quota} ${period}`))) {
      writeFileSync(join(group, "cpu.cfs_period_us"), String(period));
      writeFileSync(join(group, "cpu.cfs_quota_us"), String(quota));
    }
    made.add(group);
  }
  return [...made];
}

function make(parent: string | undefined, name: string, field: string): string {
  if (!parent) {
    throw new Fault(
      "precondition",
      `${field} cannot be kept on this host: the agent may not write to control groups`,
      {
        next: `run the agent as root, outside of a container with a read-only /sys/fs/cgroup, or leave \`${field}\` out`,
      },
    );
  }
  const group = join(parent, name);
  mkdirSync(group, { recursive: true });
  return group;
}

/** Those that an attempt has, also when a former agent process made them. */
export function groupsOf(groups: Groups, name: string): string[] {
  return parents(groups)
    .map((parent) => join(parent, name))
    .filter((group) => existsSync(group));
}

/** Whether the kernel has killed something in it for want of memory; in words. */
export function outOfMemory(made: readonly string[]): string | undefined {
  for (const group of made) {
    const events =
      readFileIfThere(join(group, "memory.events")) || readFileIfThere(join(group, "memory.oom_control"));
    if (!/^oom_kill [1-9]/m.test(events)) continue;
    const limit =
      readFileIfThere(join(group, "memory.max")) || readFileIfThere(join(group, "memory.limit_in_bytes"));
    return `its limit is ${shownLimit(Number(limit))}`;
  }
  return undefined;
}

/** In the unit that it was written in: the kernel keeps it in whole pages. */
function shownLimit(bytes: number): string {
  const mib = 1024 * 1024;
  return bytes % mib === 0 ? `${bytes / mib} MiB` : `${Math.round(bytes / 1e6)} MB`;
}

/** Kills whoever is in them, in whatever session, and removes them. */
export async function clearGroups(made: readonly string[]): Promise<void> {
  let left = made;
  for (let pass = 0; left.length > 0 && pass < 50; pass++) {
    for (const group of left) killAll(group);
    left = left.filter((group) => existsSync(group) && !tried(() => rmdirSync(group)));
    if (left.length > 0) await sleep(20);
  }
}

function killAll(group: string): void {
  if (tried(() => writeFileSync(join(group, "cgroup.kill"), "1"))) return;
  for (const pid of readFileIfThere(join(group, "cgroup.procs")).split("\n").filter(Boolean)) {
    tried(() => process.kill(Number(pid), "SIGKILL"));
  }
}

/** What no attempt has any more. */
export async function clearOthers(groups: Groups, names: ReadonlySet<string>): Promise<void> {
  for (const parent of parents(groups)) {
    const found = readdirSync(parent, { withFileTypes: true });
    const others = found.filter((one) => one.isDirectory() && !names.has(one.name));
    await clearGroups(others.map((one) => join(parent, one.name)));
  }
}

/** Takes our own away where no attempt is left in them. */
export function closeGroups(groups: Groups): void {
  for (const parent of parents(groups)) tried(() => rmdirSync(parent));
}

function parents(groups: Groups): string[] {
  return [...new Set([groups.memory, groups.cpu])].filter((parent) => parent !== undefined);
}

function tried(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function readFileIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
