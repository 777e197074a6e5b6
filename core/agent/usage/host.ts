import { existsSync, readFileSync } from "node:fs";
import type { UsageReading } from "./reading.ts";

/** USER_HZ is 100 on every Linux that Node runs on, and a sector always counts as 512 bytes. */
const tickMs = 10;
const sectorBytes = 512;

/** What the whole host has used; undefined where there is no /proc. */
export function readHost(diskBytes: number): UsageReading | undefined {
  if (!existsSync("/proc/stat")) return undefined;
  const stat = textOf("/proc/stat");
  const [networkInBytes, networkOutBytes] = readNetwork(textOf("/proc/net/dev"));
  const [diskReadBytes, diskWrittenBytes] = readDisks(textOf("/proc/diskstats"));
  const bootedAt = /^btime (\d+)$/m.exec(stat)?.[1] ?? "0";
  return {
    id: bootedAt,
    sinceMs: Number(bootedAt) * 1000,
    cpuMs: busyTicks(stat) * tickMs,
    memoryBytes: usedMemory(textOf("/proc/meminfo")),
    diskBytes,
    diskReadBytes,
    diskWrittenBytes,
    networkInBytes,
    networkOutBytes,
  };
}

/** User, nice, system, irq and softirq; guests are in user, and waiting is no work. */
function busyTicks(stat: string): number {
  const ticks = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? "").split(" ").map(Number);
  return [0, 1, 2, 5, 6].reduce((sum, column) => sum + (ticks[column] ?? 0), 0);
}

/** What could not be had by others: caches can. */
function usedMemory(text: string): number {
  const kilobytes = (field: string) => Number(new RegExp(`^${field}: +(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
  return (kilobytes("MemTotal") - kilobytes("MemAvailable")) * 1024;
}

/** Bridges and the ends of containers carry what the host's own devices carry too. */
const inner = /^(lo|veth|docker|br-|virbr|cni|flannel|cali)/;

/** Bytes in and out; of a container's /proc as well. */
export function readNetwork(text: string, leftOut = inner): [number, number] {
  let [bytesIn, bytesOut] = [0, 0];
  for (const line of text.split("\n").slice(2)) {
    const [name = "", figures] = line.split(":");
    if (figures === undefined || leftOut.test(name.trim())) continue;
    const columns = figures.trim().split(/ +/).map(Number);
    bytesIn += columns[0] ?? 0;
    bytesOut += columns[8] ?? 0;
  }
  return [bytesIn, bytesOut];
}

/** Whole disks only: a partition's bytes are its disk's, and a mapped device's those of what lies below. */
const disk = /^(sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/;

function readDisks(text: string): [number, number] {
  let [read, written] = [0, 0];
  for (const line of text.split("\n")) {
    const columns = line.trim().split(/ +/);
    if (!disk.test(columns[2] ?? "")) continue;
    read += Number(columns[5]) * sectorBytes;
    written += Number(columns[9]) * sectorBytes;
  }
  return [read, written];
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
