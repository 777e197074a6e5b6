import type { JsonObject } from "@reeve/model";
import type { StepRow } from "@reeve/store/runs";
import { isCancelled } from "./attempt-ended.ts";
import { attemptFailed } from "./attempts.ts";
import type { EndedRun } from "./runs.ts";
import { timeLeft, wakeAfter } from "./timeouts.ts";
import { changeStep, definitionOf, endStep, type LockedRun, type Turn } from "./turn.ts";

/** Asked again until it has ended: who was to cancel it may have died. */
const cancelAgainMs = 5000;

/** A step that waits for a run of its own is looked at: because it is cancelled, or because of its time. */
export function attendRun(turn: Turn, run: LockedRun, step: StepRow): Turn {
  const definition = definitionOf({ run, step });
  if (step.child === null) return turn;
  if (isCancelled(run, definition)) {
    turn.cancels.set(step.child, run.row.why);
    return changeStep(turn, step, { wakeMs: cancelAgainMs });
  }
  const left = timeLeft(definition, step);
  if (step.stoppingAt === null && left.ms > 0) return changeStep(turn, step, { wakeMs: wakeAfter(left.ms) });
  turn.cancels.set(step.child, "the step that began it has no more time for it");
  const why = step.stoppingAt === null ? `${left.why}; its run was cancelled` : step.why;
  return changeStep(turn, step, { why, stopping: true, wakeMs: cancelAgainMs });
}

/**
 * The run of a step has ended, and the step ends as it did; or another run is begun, if it failed, was given up or took too long.
 * What a person has cancelled is not begun again.
 */
export function runEnded(
  turn: Turn,
  run: LockedRun,
  step: StepRow,
  { state, why, outputs }: Pick<EndedRun, "state" | "why"> & { outputs: JsonObject | null },
): Turn {
  if (state === "succeeded") return endStep(turn, run, step, "succeeded", { outputs });
  const said = `its run ${state === "failed" ? "failed" : `was ${state}`}${why === "" ? "" : `: ${why}`}`;
  const ending = state === "cancelled" ? "cancelled" : "failed";
  if (isCancelled(run, definitionOf({ run, step }))) return endStep(turn, run, step, ending, { why: said });
  if (step.stoppingAt !== null) return attemptFailed(turn, run, step, step.why);
  if (ending === "cancelled") return endStep(turn, run, step, ending, { why: said });
  return attemptFailed(turn, run, step, said);
}
