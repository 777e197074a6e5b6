import { existsSync, readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, freemem, hostname, loadavg, release, totalmem } from "node:os";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type HostFacts, HostFactsSchema, type HostStatusSchema } from "@reeve/protocol/agent";

export function hostFacts(
  agentVersion: string,
  executors: readonly string[],
  found: readonly string[] = [],
): HostFacts {
  return create(HostFactsSchema, {
    hostname: hostname(),
    os: process.platform,
    osVersion: osVersion(),
    arch: arch(),
    kernel: release(),
    cpus: availableParallelism(),
    memoryBytes: BigInt(totalmem()),
    agentVersion,
    executors: [...executors],
    capabilities: [...capabilities(), ...found],
    ...bootedAt(),
  });
}

function osVersion(): string {
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf("/etc/os-release"))?.[1] ?? "";
}

function capabilities(): string[] {
  const marks = {
    cgroup: "/sys/fs/cgroup/cgroup.controllers",
    systemd: "/run/systemd/system",
    docker: "/var/run/docker.sock",
  };
  return Object.entries(marks)
    .filter(([, file]) => existsSync(file))
    .map(([name]) => name);
}

/** The kernel's own word: now minus the uptime would be another second at every start. */
function bootedAt() {
  const seconds = /^btime (\d+)$/m.exec(textOf("/proc/stat"))?.[1];
  return seconds === undefined ? {} : { bootedAt: timestampFromMs(Number(seconds) * 1000) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** What changes from beat to beat; the share of busy CPU is that since the last call. */
export function openHostLook(): () => MessageInitShape<typeof HostStatusSchema> {
  let before = cpuTimes();
  return () => {
    const now = cpuTimes();
    const all = now.all - before.all;
    const cpuBusy = all > 0 ? 1 - (now.idle - before.idle) / all : 0;
    before = now;
    return { load: loadavg()[0] ?? 0, cpuBusy, memoryUsedBytes: BigInt(totalmem() - freemem()) };
  };
}

function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  };
}
