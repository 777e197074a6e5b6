import { hasEnded, type Run, type Step } from "./run.ts";
import { no, type Verdict, yes } from "./verdict.ts";

export const runOperations = ["cancel", "pause", "resume", "retry"] as const;
export type RunOperationName = (typeof runOperations)[number];

export const stepOperations = ["skip", "approve", "reject", "decide"] as const;
export type StepOperationName = (typeof stepOperations)[number];

type RunSeen = Pick<Run, "state" | "paused" | "cancelling">;
type StepSeen = Pick<Step, "state" | "reason">;

/** Whether an operation on a run is possible as the run is now. The engine refuses by it; consoles and the CLI grey out by it. */
export function runCan(operation: RunOperationName, run: RunSeen): Verdict {
  if (operation === "retry") return hasEnded(run.state) ? yes : no("it has not ended; cancel it first");
  if (hasEnded(run.state)) return no(`it has ended: ${run.state}`);
  if (run.cancelling) return no("it is being cancelled");
  if (operation === "pause") return run.paused ? no("it is paused already") : yes;
  if (operation === "resume") return run.paused ? yes : no("it is not paused");
  return yes;
}

/** Whether what did not succeed can be done over: there must be something. */
export function retryFailedCan(run: RunSeen): Verdict {
  const verdict = runCan("retry", run);
  if (!verdict.yes || run.state !== "succeeded") return verdict;
  return no("all of it succeeded; retry it from the start");
}

/** The same for a step. What an agent holds cannot be skipped: whether it has begun is not known here. */
export function stepCan(operation: StepOperationName, step: StepSeen): Verdict {
  if (hasEnded(step.state)) return no(`it has ended: ${step.state}`);
  const waitsFor = step.state === "waiting" ? step.reason : undefined;
  if (operation === "decide") return waitsFor === "lost" ? yes : no("it has lost no attempt");
  if (operation !== "skip") return waitsFor === "approval" ? yes : no("it does not wait for an approval");
  if (step.state === "offered" || step.state === "running")
    return no("an agent has it; cancel the run instead");
  if (waitsFor === "approval") return no("it waits for an approval: approve or reject it");
  if (waitsFor === "lost") return no("its attempt was lost, and may have happened: decide it");
  if (waitsFor === "items" || waitsFor === "run" || waitsFor === "resource")
    return no("it has begun; cancel the run instead");
  return yes;
}
