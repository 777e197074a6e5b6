import type { UsageMeasure } from "@reeve/model/usage";

/** What something has used since it began, as counters tell it. */
export interface UsageReading {
  /** Whose counters they are: those of a container that was made anew begin again. */
  readonly id: string;
  readonly sinceMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly diskBytes?: number;
  readonly diskReadBytes: number;
  readonly diskWrittenBytes: number;
  readonly networkInBytes: number;
  readonly networkOutBytes: number;
}

/** A part, such as a container, of a resource that is kept. */
export interface KeptReading extends UsageReading {
  readonly uid: string;
  readonly name: string;
}

export type Sample = Readonly<Record<UsageMeasure, number | null>>;

/** Turns counters into what was used between two looks at them; at first, since they began. */
export function openRates(): (reading: UsageReading, nowMs: number) => Sample {
  let before: { reading: UsageReading; atMs: number } | undefined;
  return (reading, nowMs) => {
    const same = before?.reading.id === reading.id ? before : undefined;
    const seconds = (nowMs - (same?.atMs ?? reading.sinceMs)) / 1000;
    before = { reading, atMs: nowMs };
    const rate = (counter: Counter): number | null => {
      const used = reading[counter] - (same?.reading[counter] ?? 0);
      // A clock or a counter that was set back tells nothing.
      return seconds > 0 && used >= 0 ? Math.round(used / seconds) : null;
    };
    return {
      // Milliseconds a second are thousandths of a core.
      cpu: rate("cpuMs"),
      memory: reading.memoryBytes,
      disk: reading.diskBytes ?? null,
      diskRead: rate("diskReadBytes"),
      diskWritten: rate("diskWrittenBytes"),
      networkIn: rate("networkInBytes"),
      networkOut: rate("networkOutBytes"),
    };
  };
}

type Counter = "cpuMs" | "diskReadBytes" | "diskWrittenBytes" | "networkInBytes" | "networkOutBytes";
