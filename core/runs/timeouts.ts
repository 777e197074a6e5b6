import { type GraphStep, showDuration } from "@reeve/model";
import type { StepRow } from "@reeve/store/runs";

/** How long a step has waited or been under way this time, and how long since it was first ready. */
type Spent = Pick<StepRow, "readyMs" | "openMs">;

/**
 * When a step must be looked at that is ready, or waits to be, should nobody begin it: `start` is from when it became so, `overall`
 * from when it first was. What becomes ready has spent nothing of its `start`, and at first nothing at all.
 */
export function readyWakeMs(
  { timeouts = {} }: GraphStep,
  { readyMs, openMs }: Partial<Spent> = {},
): number | null {
  const { startMs = Number.POSITIVE_INFINITY, overallMs = Number.POSITIVE_INFINITY } = timeouts;
  return wakeAfter(Math.min(startMs - (readyMs ?? 0), overallMs - (openMs ?? 0)));
}

/** When one that has begun must be, unless it is told to stop already; what an attempt may take by itself, its agent sees to. */
export function begunWakeMs(
  { timeouts = {} }: GraphStep,
  { openMs, stoppingAt }: Pick<StepRow, "openMs" | "stoppingAt">,
): number | null {
  const { overallMs = Number.POSITIVE_INFINITY } = timeouts;
  return stoppingAt === null ? wakeAfter(overallMs - (openMs ?? 0)) : null;
}

/** Why no attempt may begin or go on any more, once all of them together have had their time. */
export function overallIsOver(
  { timeouts = {} }: GraphStep,
  { openMs }: Pick<Spent, "openMs">,
): string | undefined {
  const { overallMs = Number.POSITIVE_INFINITY } = timeouts;
  return (openMs ?? 0) >= overallMs ? overallWords(overallMs) : undefined;
}

/**
 * Of an attempt that no agent makes: how long it may still take, and all of them together, whichever ends first; and what it did
 * when that is over.
 */
export function timeLeft(
  { timeouts = {} }: GraphStep,
  { readyMs, openMs }: Spent,
): { readonly ms: number; readonly why: string } {
  const { finishMs = Number.POSITIVE_INFINITY, overallMs = Number.POSITIVE_INFINITY } = timeouts;
  const [one, all] = [finishMs - (readyMs ?? 0), overallMs - (openMs ?? 0)];
  return one <= all
    ? { ms: one, why: `took longer than ${showDuration(finishMs)}` }
    : { ms: all, why: overallWords(overallMs) };
}

/** For a step's `wakeMs`: what has no end wakes nobody. */
export function wakeAfter(ms: number): number | null {
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : null;
}

function overallWords(overallMs: number): string {
  return `took longer than ${showDuration(overallMs)} in all`;
}
