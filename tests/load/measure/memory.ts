import { readFileSync } from "node:fs";

export interface Memory {
  /** Resident now and at most since the start, in megabytes of 10^6 bytes. */
  readonly residentMb: number;
  readonly mostMb: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mb = (field: string) =>
    (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { residentMb: mb("VmRSS"), mostMb: mb("VmHWM") };
}
