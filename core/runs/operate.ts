import { Fault, runCan, type StepOperationName, stepCan, type Verdict } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { changeRuns, lockAllSteps, lockRuns, lockSteps, runChangeOf, type StepRow } from "@reeve/store/runs";
import type { Means } from "./begin.ts";
import { cancelRun } from "./cancel.ts";
import { takeOneRoom } from "./quotas.ts";
import { retryRun } from "./retry.ts";
import type { RunOperation } from "./runs.ts";
import {
  changeStep,
  endStep,
  keepAttempt,
  type LockedRun,
  openTurn,
  type Turn,
  tell,
  type Wrote,
  writeTurn,
} from "./turn.ts";

/** Carries a person's operation out, under the run's lock, if it can be. */
export async function operate(
  sql: Sql,
  id: string,
  operation: RunOperation,
  by: string,
  { plans, quotas }: Pick<Means, "plans" | "quotas">,
): Promise<Wrote> {
  const [row] = await lockRuns(sql, [id]);
  if (row === undefined) throw new Fault("not_found", "there is no such run");
  const planFor = await plans.load(sql, [row.graph]);
  const run: LockedRun = { row, plan: planFor(row.graph) };
  if ("seq" in operation) return operateStep(sql, run, operation, by);
  const seen = { state: row.state, paused: row.pausedAt !== null, cancelling: row.cancelledAt !== null };
  insist(runCan(operation.does, seen), `the run cannot be ${pastOf[operation.does]}`);
  switch (operation.does) {
    case "cancel":
      return cancelRun(sql, run, { why: operation.why === "" ? `cancelled by ${by}` : operation.why, by });
    case "retry":
      if (row.parentRun === null) await takeOneRoom(sql, row.scope, quotas);
      return retryRun(sql, run, operation.from, by);
    case "pause":
      return pauseRun(sql, run, by);
    case "resume":
      return resumeRun(sql, run, by);
  }
}

const pastOf = { cancel: "cancelled", retry: "retried", pause: "paused", resume: "resumed" } as const;

function insist(verdict: Verdict, what: string): void {
  if (!verdict.yes) throw new Fault("precondition", `${what}: ${verdict.why}`);
}

/** What runs goes on; what is ready waits, and so does what becomes ready. */
async function pauseRun(sql: Sql, { row }: LockedRun, by: string): Promise<Wrote> {
  const turn = openTurn();
  for (const step of await lockAllSteps(sql, row.id))
    if (step.state === "ready" || step.reason === "limit")
      changeStep(turn, step, { state: "waiting", reason: "paused", why: "", limitKey: null });
  tell(turn, { run: row.id, reason: "paused", message: "what runs goes on; nothing new begins", by });
  await changeRuns(sql, [runChangeOf(row, { paused: true, wakeMs: row.wakeAt === null ? null : 60_000 })]);
  return writeTurn(sql, turn);
}

async function resumeRun(sql: Sql, { row }: LockedRun, by: string): Promise<Wrote> {
  const turn = openTurn();
  for (const step of await lockAllSteps(sql, row.id))
    if (step.reason === "paused")
      changeStep(turn, step, { state: "due", reason: null, why: "", limitKey: null });
  tell(turn, { run: row.id, reason: "resumed", message: "goes on", by });
  await changeRuns(sql, [runChangeOf(row, { paused: false, wakeMs: row.wakeAt === null ? null : 0 })]);
  return writeTurn(sql, turn);
}

type StepOperation = Extract<RunOperation, { seq: number }>;

async function operateStep(sql: Sql, run: LockedRun, operation: StepOperation, by: string): Promise<Wrote> {
  const [step] = await lockSteps(sql, [{ run: run.row.id, seq: operation.seq }]);
  if (step === undefined) throw new Fault("not_found", "the run has no such step");
  const seen = { state: step.state, ...(step.reason === null ? {} : { reason: step.reason }) };
  const name = run.plan.graph.steps[step.def]?.name ?? "";
  insist(stepCan(operation.does, seen), `${name} cannot be ${stepPastOf[operation.does]}`);
  const turn = openTurn();
  carryOut(turn, run, step, operation, by);
  const note = "note" in operation && operation.note !== "" ? `: ${operation.note}` : "";
  const as =
    "outcome" in operation ? ` as ${operation.outcome}` : "as" in operation ? ` as ${operation.as}` : "";
  tell(turn, {
    run: run.row.id,
    seq: step.seq,
    reason: stepPastOf[operation.does],
    message: `${name} ${stepPastOf[operation.does]}${as}${note}`,
    by,
  });
  return writeTurn(sql, turn);
}

const stepPastOf = {
  skip: "skipped",
  approve: "approved",
  reject: "rejected",
  decide: "decided",
} as const satisfies Record<StepOperationName, string>;

function carryOut(turn: Turn, run: LockedRun, step: StepRow, operation: StepOperation, by: string): Turn {
  switch (operation.does) {
    case "skip":
      return endStep(turn, run, step, operation.as ?? "skipped", { why: `skipped by ${by}` });
    case "approve":
      return endStep(turn, run, step, "succeeded", {
        why: `approved by ${by}`,
        outputs: { by, ...(operation.note === "" ? {} : { note: operation.note }) },
      });
    case "reject":
      return endStep(turn, run, step, "failed", {
        why: `rejected by ${by}${operation.note === "" ? "" : `: ${operation.note}`}`,
      });
    case "decide":
      if (operation.outcome !== "again")
        return endStep(turn, run, step, operation.outcome, { why: `decided by ${by}` });
      keepAttempt(turn, step, "lost", step.why);
      // Its place under a limit was for others, and its time went by until somebody looked: it begins as one that had neither.
      return changeStep(turn, step, {
        ...{ state: "due", reason: null, why: "", limitKey: null },
        ...{ agent: null, stopping: false, forgets: true },
      });
  }
}
