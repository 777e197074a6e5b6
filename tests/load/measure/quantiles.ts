export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** By nearest rank: every figure is one that was really measured. */
export function quantiles(samples: Float64Array | readonly number[]): Quantiles {
  const sorted = Float64Array.from(samples).sort();
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The middle one of a few windows, with the lowest and the highest beside it. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spread(values: readonly number[]): Spread {
  const { p50, max } = quantiles(values);
  return { median: p50, low: Math.min(...values), high: max };
}
