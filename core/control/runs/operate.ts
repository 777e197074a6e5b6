import {
  Fault,
  type GraphStep,
  invalidField,
  type JsonObject,
  type RunVerb,
  retryFailedCan,
  runCan,
  showSubject,
  stepCan,
  type Uid,
  type Verdict,
} from "@reeve/model";
import type { RunOperation } from "@reeve/runs";
import { listRuns, type RunFilter, type RunRead, readSteps, type StepRead } from "@reeve/store/runs";
import type { Asking, Context } from "../context.ts";
import { unauthenticated } from "../guard/authorise.ts";
import type { Reader } from "../operations/get.ts";
import { refuse } from "../operations/mutate.ts";
import { record } from "../operations/record.ts";
import { findRun, runAddress, runRefusal } from "./find.ts";

type Asks = Reader & { readonly idempotency?: Asking["idempotency"] };

/** Rejecting is the other answer to the same question. */
const verbs: Readonly<Record<RunOperation["does"], RunVerb>> = {
  cancel: "cancel",
  pause: "pause",
  resume: "resume",
  retry: "retry",
  skip: "skip",
  approve: "approve",
  reject: "approve",
  decide: "decide",
};

/** Carries a person's operation out, with its audit row. The engine has the last word, under the run's lock. */
export async function operateRun(
  context: Context,
  asks: Asks,
  word: string,
  operation: RunOperation,
): Promise<string> {
  const read = await findRun(context, asks, word, operation.does, verbs[operation.does]);
  const step = "seq" in operation ? await stepOf(context, read, operation.seq) : undefined;
  // Leaving an approval out would be to approve it.
  if (operation.does === "skip" && step?.definition.body.does === "approve") {
    const fault = runRefusal(asks.caller, read.run.scope, "approve", word);
    if (fault !== undefined)
      return refuse(context, asks, "skip", runAddress(read.run.scope, read.run.id), fault);
  }
  await submit(context, asks, read, operation, step);
  return read.run.id;
}

interface Meant {
  readonly row: StepRead;
  readonly definition: GraphStep;
}

async function stepOf({ database }: Context, { run, graph }: RunRead, seq: number): Promise<Meant> {
  const [row] = await readSteps(database, run.id, { after: seq - 1, before: seq + 1 }, 1);
  if (row === undefined)
    throw new Fault("not_found", `the run ${run.id} has no step ${seq}`, {
      next: "`reeve runs show` lists its steps",
    });
  return { row, definition: graph.steps[row.def] as GraphStep };
}

async function submit(
  context: Context,
  asks: Asks,
  { run }: Pick<RunRead, "run">,
  operation: RunOperation,
  step?: Meant,
): Promise<void> {
  const { caller } = asks;
  if (caller === undefined) throw unauthenticated();
  const { does, ...how } = operation;
  const what = step === undefined ? "" : `${step.definition.name}: `;
  const detail = {
    about: `${run.about.kind}/${run.about.name}`,
    ...(step === undefined ? {} : { step: step.definition.name }),
    ...(how as JsonObject),
  };
  const deed = { ...runAddress(run.scope, run.id), uid: run.id as Uid, operation: does, detail };
  await record(context, asks, deed, async (sql) => {
    // Not before: a repeated request finds the run as its first left it, and does nothing.
    const verdict = verdictOn(run, operation, step);
    if (!verdict.yes) throw new Fault("precondition", `${what}${does} is not possible: ${verdict.why}`);
    await context.runs.operate(sql, run.id, operation, showSubject(caller.subject));
  });
}

function verdictOn(run: RunRead["run"], operation: RunOperation, step: Meant | undefined): Verdict {
  if (operation.does === "retry" && operation.from === "failed") return retryFailedCan(run);
  if (step === undefined) return runCan(operation.does as Parameters<typeof runCan>[0], run);
  const { state, reason } = step.row;
  return stepCan(operation.does as Parameters<typeof stepCan>[0], {
    state,
    ...(reason === null ? {} : { reason }),
  });
}

const bulkMost = 1000;

/** Cancels what a filter selects, newest first, at most a thousand at once. */
export async function cancelRuns(
  context: Context,
  asks: Asks,
  filter: RunFilter,
  why: string,
): Promise<{ cancelled: string[]; more: boolean }> {
  const states = filter.states ?? ["queued", "running"];
  if (states.some((state) => state !== "queued" && state !== "running"))
    throw invalidField("/state", "only runs that are queued or running can be cancelled");
  const page = await listRuns(context.database, { ...filter, states }, undefined, bulkMost);
  const open = page.items.filter((run) => runCan("cancel", run).yes);
  // Together, so that the lane commits them in few transactions; one that has ended meanwhile is passed over.
  const outcomes = await Promise.all(
    open.map((run) =>
      submit(context, { caller: asks.caller, origin: asks.origin }, { run }, { does: "cancel", why }).then(
        () => run.id,
        (error: unknown) => {
          if (error instanceof Fault && (error.kind === "precondition" || error.kind === "not_found"))
            return undefined;
          throw error;
        },
      ),
    ),
  );
  return { cancelled: outcomes.filter((id) => id !== undefined), more: page.next !== undefined };
}
