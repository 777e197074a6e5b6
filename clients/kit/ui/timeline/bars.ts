import { hasEnded, type PastAttempt, type Step, type StepState } from "@reeve/model";

/** A stretch of time of a step: waiting for an agent or for another try, or doing something. */
export interface Bar {
  readonly from: number;
  /** Undefined while it goes on: it grows with the clock. */
  readonly to: number | undefined;
  readonly what: "waiting" | "attempt";
  readonly state: StepState | PastAttempt["state"];
  readonly attempt: number;
  readonly why: string;
}

export interface TimelineRow {
  readonly seq: number;
  readonly name: string;
  readonly state: StepState;
  /** An item of a fan-out stands below it. */
  readonly isItem: boolean;
  readonly bars: readonly Bar[];
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly from: number;
  /** Undefined while any bar grows. */
  readonly to: number | undefined;
}

/** Rows in the order of the graph, each fan-out followed by those of its items that are known. */
export function timelineOf(steps: readonly Step[], past: readonly PastAttempt[]): Timeline {
  const attempts = Map.groupBy(past, ({ seq }) => seq);
  const items = Map.groupBy(steps, ({ parent }) => parent);
  const bySeq = (a: Step, b: Step) => a.seq - b.seq;
  const ordered = (items.get(undefined) ?? [])
    .sort(bySeq)
    .flatMap((step) => [step, ...(items.get(step.seq) ?? []).sort(bySeq)]);
  const rows = ordered.map(
    (step): TimelineRow => ({
      seq: step.seq,
      name: step.name,
      state: step.state,
      isItem: step.parent !== undefined,
      bars: items.has(step.seq)
        ? fanOutBars(step, items.get(step.seq) ?? [])
        : barsOf(step, attempts.get(step.seq) ?? []),
    }),
  );
  const bars = rows.flatMap((row) => row.bars);
  const from = bars.reduce((least, bar) => Math.min(least, bar.from), Number.POSITIVE_INFINITY);
  const grows = bars.some((bar) => bar.to === undefined);
  const to = bars.reduce((most, bar) => Math.max(most, bar.to ?? 0), 0);
  return { rows, from: bars.length === 0 ? 0 : from, to: grows ? undefined : to };
}

/** From its first item's beginning on, until it has ended. */
function fanOutBars({ state, attempt, why, endedAt }: Step, items: readonly Step[]): Bar[] {
  const begun = items.flatMap(({ startedAt }) => (startedAt === undefined ? [] : ms(startedAt)));
  if (begun.length === 0) return [];
  const to = endedAt === undefined ? undefined : ms(endedAt);
  return [{ from: Math.min(...begun), to, what: "attempt", state, attempt, why }];
}

function barsOf(step: Step, past: readonly PastAttempt[]): Bar[] {
  const tried = past
    .filter((attempt) => attempt.startedAt !== undefined)
    .sort((a, b) => ms(a.startedAt) - ms(b.startedAt))
    .map(({ startedAt, endedAt, state, attempt, why }): Bar => {
      return { from: ms(startedAt), to: ms(endedAt), what: "attempt", state, attempt, why };
    });
  const { attempt, state, why } = step;
  const isLatest = step.startedAt !== undefined && !tried.some((bar) => bar.from >= ms(step.startedAt));
  const to = step.endedAt === undefined ? undefined : ms(step.endedAt);
  // A step that waits after an attempt has none under way.
  const waitsAgain = state === "waiting" && (step.reason === "retry" || step.reason === "limit");
  if (isLatest && !waitsAgain)
    tried.push({ from: ms(step.startedAt), to, what: "attempt", state, attempt, why });
  const begin =
    step.readyAt === undefined ? tried[0]?.from : Math.min(ms(step.readyAt), tried[0]?.from ?? Infinity);
  if (begin === undefined) return tried;
  return withWaits(step, begin, tried);
}

/** Between its beginning, its attempts and its end a step waits. */
function withWaits({ state, attempt, why, endedAt }: Step, begin: number, tried: readonly Bar[]): Bar[] {
  const bars: Bar[] = [];
  let at = begin;
  for (const bar of tried) {
    if (bar.from > at)
      bars.push({ from: at, to: bar.from, what: "waiting", state: "ready", attempt: bar.attempt, why: "" });
    bars.push(bar);
    at = bar.to ?? Number.POSITIVE_INFINITY;
  }
  if (hasEnded(state)) {
    const end = ms(endedAt);
    if (tried.length === 0 && end > at)
      bars.push({ from: at, to: end, what: "waiting", state, attempt, why });
  } else if (at !== Number.POSITIVE_INFINITY)
    bars.push({
      from: at,
      to: undefined,
      what: "waiting",
      state,
      attempt: attempt + (tried.length > 0 ? 1 : 0),
      why,
    });
  return bars;
}

function ms(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}
