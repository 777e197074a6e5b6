import { hasEnded } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { changeRuns, lockAllSteps, runChangeOf, type StepRow } from "@reeve/store/runs";
import { isCancelled, mayHaveBegun } from "./attempt-ended.ts";
import {
  changeStep,
  endStep,
  type LockedRun,
  openTurn,
  type Turn,
  tell,
  type Wrote,
  writeTurn,
} from "./turn.ts";

export interface Cancelling {
  readonly why: string;
  readonly by: string;
  readonly timedOut?: boolean;
}

/**
 * Cancels a run under its lock. What has not begun ends here and now, also what was offered and begins with its accept, because
 * that will be refused; what may have begun is told to stop. Cleanup steps go on, also of a paused run: nobody can resume one that
 * is being cancelled, so its pause ends here.
 */
export async function cancelRun(
  sql: Sql,
  run: LockedRun,
  { why, by, timedOut = false }: Cancelling,
): Promise<Wrote> {
  const { row, plan } = run;
  const steps = await lockAllSteps(sql, row.id);
  const cancelled: LockedRun = {
    plan,
    row: { ...row, cancelledAt: row.cancelledAt ?? row.createdAt, pausedAt: null, why },
  };
  const turn = openTurn();
  const holding = new Set(steps.filter(goesOn).flatMap(({ parent }) => parent ?? []));
  for (const step of steps) {
    const definition = plan.graph.steps[step.def];
    if (hasEnded(step.state) || definition === undefined || !isCancelled(cancelled, definition)) continue;
    if (mayHaveBegun(step)) changeStep(turn, step, { stopping: true, why });
    // It waits for what was told to stop: items, or a run of its own.
    else if (step.reason === "run") changeStep(turn, step, { why, wakeMs: 0 });
    else if (step.reason === "items" && holding.has(step.seq)) changeStep(turn, step, { why });
    else endStep(turn, cancelled, step, "cancelled", { why });
  }
  beginCleanups(turn, cancelled, steps);
  tell(turn, { run: row.id, tone: "warning", reason: "cancelled", message: why, by });
  await changeRuns(sql, [
    runChangeOf(row, {
      cancelled: true,
      paused: false,
      timedOut,
      why,
      // One whose last step has just ended is still to be settled.
      wakeMs: row.open === 0 ? 0 : null,
      state: row.state === "queued" ? "running" : row.state,
    }),
  ]);
  return writeTurn(sql, turn);
}

/** Goes on for a while, because an agent has it, or until its run has ended. */
function goesOn(step: StepRow): boolean {
  return step.parent !== null && (mayHaveBegun(step) || step.reason === "run");
}

/** Cleanup that waits for what will not come: for its run to be resumed or, if it needs nothing, for it to begin. */
function beginCleanups(turn: Turn, { row, plan }: LockedRun, steps: readonly StepRow[]): void {
  for (const step of steps) {
    if (plan.graph.steps[step.def]?.cleanup === undefined) continue;
    const neverBegan = row.state === "queued" && step.state === "blocked" && step.pending === 0;
    if (step.reason === "paused" || neverBegan)
      changeStep(turn, step, { state: "due", reason: null, why: "", limitKey: null });
  }
}
