import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { meanMs, packUsage, sampleMs, type UsageMeasure, usageMeasures } from "@reeve/model/usage";
import type { UsageSchema } from "@reeve/protocol/agent";
import type { Sample } from "./reading.ts";

/** One sample of one thing. */
export interface Sampled {
  readonly uid: string;
  readonly name: string;
  readonly sample: Sample;
}

/** Samples that the control plane has not heard yet, in windows of up to five minutes. */
export interface Windows {
  add(nowMs: number, sampled: readonly Sampled[]): void;
  /** What the control plane is told of the window that is still open, if any. */
  open(sentMs: number): MessageInitShape<typeof UsageSchema> | undefined;
  /** Those that are complete and that it has not heard. */
  unheard(sentMs: number): MessageInitShape<typeof UsageSchema>[];
  heard(fromMs: number, samples: number): void;
}

/** Without a control plane for longer than this many windows, the oldest are a gap. */
const mostWindows = 12;
/** More containers than this on one host are not told of. */
const mostSeries = 1000;

interface Window {
  readonly fromMs: number;
  samples: number;
  readonly values: Map<string, Map<string, Record<UsageMeasure, (number | null)[]>>>;
}

export function openWindows(): Windows {
  let current: Window | undefined;
  let complete: Window[] = [];

  /** The window of a sample and its place in it; a clock that was set makes a new window. */
  function windowAt(slotMs: number): { window: Window; index: number } {
    const index = current === undefined ? -1 : (slotMs - current.fromMs) / sampleMs;
    if (current !== undefined && index >= current.samples && slotMs < endOf(current))
      return { window: current, index };
    if (current !== undefined) complete = [...complete, current].slice(-mostWindows);
    current = { fromMs: slotMs, samples: 0, values: new Map() };
    return { window: current, index: 0 };
  }

  return {
    add(nowMs, sampled) {
      const { window, index } = windowAt(Math.floor(nowMs / sampleMs) * sampleMs);
      window.samples = index + 1;
      for (const { uid, name, sample } of sampled.slice(0, mostSeries)) {
        const parts = window.values.get(uid) ?? new Map();
        const values = parts.get(name) ?? emptyValues();
        window.values.set(uid, parts.set(name, values));
        for (const measure of usageMeasures) {
          pad(values[measure], index);
          values[measure][index] = sample[measure];
        }
      }
    },
    open: (sentMs) => current && messageOf(current, sentMs),
    unheard: (sentMs) => complete.map((one) => messageOf(one, sentMs)),
    heard(fromMs, samples) {
      complete = complete.filter((one) => one.fromMs !== fromMs || one.samples !== samples);
    },
  };
}

function endOf({ fromMs }: Window): number {
  return Math.floor(fromMs / meanMs) * meanMs + meanMs;
}

function emptyValues(): Record<UsageMeasure, (number | null)[]> {
  return Object.fromEntries(usageMeasures.map((measure) => [measure, []])) as never;
}

function pad(values: (number | null)[], length: number): void {
  while (values.length < length) values.push(null);
}

function messageOf(
  { fromMs, samples, values }: Window,
  sentMs: number,
): MessageInitShape<typeof UsageSchema> {
  const of = [...values].map(([uid, parts]) => {
    const series = [...parts].map(([name, known]) => {
      for (const measure of usageMeasures) pad(known[measure], samples);
      return { name, values: known };
    });
    return { uid, series: packUsage(series) };
  });
  return { from: timestampFromMs(fromMs), sentAt: timestampFromMs(sentMs), samples, of };
}
