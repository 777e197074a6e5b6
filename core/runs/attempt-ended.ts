import { type GraphStep, showDuration } from "@reeve/model";
import type { StepRow } from "@reeve/store/runs";
import type { FinishedStep } from "./runs.ts";
import { overallIsOver, readyWakeMs } from "./timeouts.ts";
import { changeStep, definitionOf, endStep, keepAttempt, type LockedRun, type Turn, tell } from "./turn.ts";

/** So often a step may lose its agent before we believe that the step is what kills it. */
const lossesBorne = 10;

/** What becomes of a step whose attempt an agent has reported as ended. */
export function attemptEnded(turn: Turn, run: LockedRun, step: StepRow, finish: FinishedStep): Turn {
  const how = {
    why: finish.why,
    exitCode: finish.exitCode ?? null,
    outputs: finish.outputs ?? null,
    startedAt: finish.startedAt ?? null,
  };
  if (finish.outcome === "succeeded") return endStep(turn, run, step, "succeeded", how);
  if (finish.outcome === "lost") return attemptLost(turn, run, step, finish.why);
  const definition = run.plan.graph.steps[step.def] as GraphStep;
  if (step.stoppingAt !== null) {
    if (isCancelled(run, definition)) return endStep(turn, run, step, "cancelled", { ...how, why: step.why });
    return endStep(turn, run, step, "failed", { ...how, why: step.why });
  }
  const delayMs = retryDelayMs(definition, step, finish.final);
  const overallMs = definition.timeouts?.overallMs ?? Number.POSITIVE_INFINITY;
  const isTooLate = delayMs !== undefined && (step.openMs ?? 0) + delayMs >= overallMs;
  if (delayMs === undefined || isTooLate || isCancelled(run, definition)) {
    const why = isTooLate
      ? `${finish.why}; no time for another attempt: overall ${showDuration(overallMs)}`
      : how.why;
    return endStep(turn, run, step, finish.outcome === "cancelled" ? "cancelled" : "failed", { ...how, why });
  }
  keepAttempt(turn, step, "failed", finish.why, finish.exitCode ?? null);
  return changeStep(turn, step, {
    state: "waiting",
    reason: "retry",
    why: `${finish.why}; attempt ${step.tries + 1} follows in ${showDuration(delayMs)}`,
    wakeMs: delayMs,
  });
}

/** The next attempt's delay, or undefined when there is none. */
export function retryDelayMs(
  { retry }: GraphStep,
  step: Pick<StepRow, "tries">,
  final: boolean,
): number | undefined {
  if (retry === undefined || final || step.tries > retry.times) return undefined;
  const delayMs = Math.min(
    retry.delayMs * (retry.factor ?? 1) ** (step.tries - 1),
    retry.mostMs ?? Number.POSITIVE_INFINITY,
    30 * 86_400_000,
  );
  return Math.round(delayMs);
}

/**
 * The agent has gone, or no longer has the attempt. What was only offered goes back. At least once: it is done again elsewhere.
 * At most once: it waits, by name, for the agent to come back with it, or for a person.
 */
export function attemptLost(turn: Turn, run: LockedRun, step: StepRow, why: string): Turn {
  const definition = run.plan.graph.steps[step.def] as GraphStep;
  if (step.state === "offered" && !isCancelled(run, definition)) {
    keepAttempt(turn, step, "returned", why);
    return again(turn, run, step, step.tries - 1);
  }
  if (isCancelled(run, definition))
    return endStep(turn, run, step, "cancelled", { why: `${why}; the body may still be running there` });
  if (step.atMostOnce) {
    if (step.reason !== "lost")
      tell(turn, {
        run: step.run,
        seq: step.seq,
        tone: "warning",
        reason: "lost",
        message: `${definition.name}: ${why}`,
      });
    return changeStep(turn, step, {
      state: "waiting",
      reason: "lost",
      why: `${why}; it may have happened: the agent will say when it is back, or decide it`,
    });
  }
  keepAttempt(turn, step, "lost", why);
  tell(turn, {
    run: step.run,
    seq: step.seq,
    tone: "warning",
    reason: "lost",
    message: `${definition.name}: ${why}`,
  });
  if (step.attempt >= lossesBorne + (definition.retry?.times ?? 0))
    return endStep(turn, run, step, "failed", { why: `${why}, for the ${step.attempt}th time` });
  return again(turn, run, step, step.tries - 1);
}

/** Back to where any agent can take it, if there is time left for it; what was counted under a limit still is. */
function again(turn: Turn, run: LockedRun, step: StepRow, tries: number): Turn {
  const definition = definitionOf({ run, step });
  const late = overallIsOver(definition, step);
  if (late !== undefined) return endStep(turn, run, step, "failed", { why: late });
  const paused = run.row.pausedAt !== null;
  return changeStep(turn, step, {
    state: paused ? "waiting" : "ready",
    reason: paused ? "paused" : null,
    why: "",
    agent: null,
    stopping: false,
    tries,
    wakeMs: paused ? null : readyWakeMs(definition, { openMs: step.openMs }),
  });
}

/** Whether a body may be under way: what may happen more than once begins when its offer arrives, the rest with its accept. */
export function mayHaveBegun({ state, atMostOnce, exclusive }: StepRow): boolean {
  return state === "running" || (state === "offered" && !atMostOnce && !exclusive);
}

/** A cleanup step is done to its end, also of a cancelled run. */
export function isCancelled({ row }: LockedRun, definition: GraphStep): boolean {
  return row.cancelledAt !== null && definition.cleanup === undefined;
}
