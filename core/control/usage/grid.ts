import { type UsageMeasure, type UsageSeries, unpackUsage, usageMeasures } from "@reeve/model";

/** Values over time at even steps, from one time on. */
export interface Grid {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

interface Sum {
  readonly total: number;
  readonly count: number;
}

/** Puts windows onto a grid: each of its steps is the mean of what was known within it. */
export function openGrid({ fromMs, stepMs, count }: Grid) {
  const sums = new Map<string, Record<UsageMeasure, (Sum | undefined)[]>>();
  return {
    /** Bytes that cannot be read, which only a broken agent sends, are a gap. */
    add(series: Uint8Array, windowMs: number, eachMs: number): void {
      for (const { name, values } of readSeries(series)) {
        const known = sums.get(name) ?? empty(count);
        sums.set(name, known);
        for (const measure of usageMeasures)
          values[measure].forEach((value, index) => {
            const step = Math.floor((windowMs + index * eachMs - fromMs) / stepMs);
            if (value === null || step < 0 || step >= count) return;
            const { total, count: added } = known[measure][step] ?? { total: 0, count: 0 };
            known[measure][step] = { total: total + value, count: added + 1 };
          });
      }
    },
    /** By name; those of which nothing is known in this time are left out. */
    series(): UsageSeries[] {
      return [...sums]
        .filter(([, known]) =>
          usageMeasures.some((measure) => known[measure].some((sum) => sum !== undefined)),
        )
        .map(([name, known]) => ({ name, values: means(known) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

export function readSeries(series: Uint8Array): UsageSeries[] {
  try {
    return unpackUsage(series);
  } catch {
    return [];
  }
}

function empty(count: number): Record<UsageMeasure, (Sum | undefined)[]> {
  return Object.fromEntries(usageMeasures.map((one) => [one, Array(count).fill(undefined)])) as never;
}

function means(known: Record<UsageMeasure, (Sum | undefined)[]>): UsageSeries["values"] {
  const values = usageMeasures.map((measure) => [
    measure,
    known[measure].map((sum) => (sum === undefined ? null : Math.round(sum.total / sum.count))),
  ]);
  return Object.fromEntries(values);
}
