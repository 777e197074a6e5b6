import { showDuration } from "@reeve/model";
import type { StepRow } from "@reeve/store/runs";
import { retryDelayMs } from "./attempt-ended.ts";
import { changeStep, definitionOf, endStep, type LockedRun, type Turn } from "./turn.ts";

/** Attempts that no agent makes: a run of another definition, a resource. Each attempt is another one; `tries` counts those that failed. */

/** Another attempt follows, if there is one left, and the time for it. */
export function attemptFailed(turn: Turn, run: LockedRun, step: StepRow, why: string): Turn {
  const definition = definitionOf({ run, step });
  const tries = step.tries + 1;
  const delayMs = retryDelayMs(definition, { tries }, false);
  const overallMs = definition.timeouts?.overallMs ?? Number.POSITIVE_INFINITY;
  if (delayMs === undefined) return endStep(turn, run, step, "failed", { why });
  if ((step.openMs ?? 0) + delayMs >= overallMs)
    return endStep(turn, run, step, "failed", {
      why: `${why}; no time for another attempt: overall ${showDuration(overallMs)}`,
    });
  const next = `attempt ${tries + 1} follows in ${showDuration(delayMs)}`;
  return changeStep(turn, step, {
    reason: "retry",
    why: `${why}; ${next}`,
    tries,
    stopping: false,
    wakeMs: delayMs,
  });
}
