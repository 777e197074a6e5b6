/** Steps of a time axis that people read easily. */
const steps = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
];

export interface Tick {
  readonly at: number;
  /** Since the beginning: `0s`, `1m 30s`. */
  readonly label: string;
}

/** Marks from 0 to the length, about as many as wanted. */
export function ticksOf(lengthMs: number, wanted: number): Tick[] {
  const step =
    steps.find((one) => lengthMs / one <= wanted) ?? Math.ceil(lengthMs / wanted / 6.048e8) * 6.048e8;
  const count = Math.floor(lengthMs / step) + 1;
  return Array.from({ length: count }, (_, at) => ({ at: at * step, label: tickLabel(at * step) }));
}

function tickLabel(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1000) return `${ms}ms`;
  const units = [
    [Math.floor(ms / 3_600_000), "h"],
    [Math.floor(ms / 60_000) % 60, "m"],
    [(Math.round(ms / 100) / 10) % 60, "s"],
  ] as const;
  return units
    .flatMap(([count, unit]) => (count === 0 ? [] : `${Math.round(count * 10) / 10}${unit}`))
    .join(" ");
}
