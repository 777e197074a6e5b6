import { type Run, type RunState, type Step, stepCan } from "@reeve/model";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { exitCodes } from "../exit-codes.ts";
import { followRun } from "../runs/follow-run.ts";
import { runMeant, runNamed, stepNamed } from "../runs/meant.ts";
import { outcomeCode, shortId, stateWords } from "../runs/words.ts";

const runArg = { name: "RUN" } as const;
const stepArg = { name: "STEP", optional: true } as const;

const cancel = defineVerb<CliDesk>()({
  name: "cancel",
  group: "change",
  summary: "Cancel a run, or all runs of a workflow or scope",
  args: [{ name: "RUN", optional: true }],
  options: {
    why: text("TEXT", "Why; the run says so"),
    workflow: text("WORKFLOW", "All open runs of this workflow"),
    all: flag("All open runs of the scope and below"),
    yes: flag("Do not ask", "y"),
    state: text("STATE", "With --workflow or --all: only queued or running ones", {
      completes: ["queued", "running"],
    }),
  },
  example: "reeve cancel 1f2e3d4c --why 'wrong day'\nreeve cancel --workflow nightly --state queued",
  async run(desk, { args: [word], options }) {
    const client = await desk.client();
    const many = options.workflow !== undefined || options.all;
    if (many === (word !== undefined))
      throw new Usage("say what to cancel", "a run, or --workflow NAME, or --all");
    if (word !== undefined)
      return done(desk, await client.runs.cancel(runNamed(word), options.why), "cancelled");
    const states = options.state === undefined ? {} : { states: [options.state as RunState] };
    const { scope } = desk.connection().standing;
    const target =
      options.workflow === undefined ? undefined : await desk.target("workflow", options.workflow);
    const about = target && { kind: target.kind.name, name: target.name };
    const what =
      target === undefined
        ? `all open runs of ${scope || "the installation"} and below`
        : `all open runs of ${target.name}`;
    if (options.all && !options.yes && !(await desk.ask.confirm(`Cancel ${what}?`))) {
      desk.say("nothing was cancelled; --yes does not ask");
      return exitCodes.no;
    }
    const cancelled: string[] = [];
    for (let more = true; more; ) {
      const query = { scope: target?.scope ?? scope, ...(about === undefined ? {} : { about }), ...states };
      const answer = await client.runs.cancelMany(query, options.why);
      cancelled.push(...answer.cancelled);
      more = answer.more && answer.cancelled.length > 0;
    }
    if (await desk.data({ cancelled })) return 0;
    desk.say(`${cancelled.length} ${cancelled.length === 1 ? "run" : "runs"} cancelled`);
    return 0;
  },
});

const retry = defineVerb<CliDesk>()({
  name: "retry",
  group: "change",
  summary: "Do a run that has ended over",
  args: [runArg],
  options: {
    fromFailed: flag("Only what did not succeed, and what follows from it"),
    follow: flag("Show the run until it has ended", "f"),
  },
  example: "reeve retry 1f2e3d4c --from-failed --follow",
  async run(desk, { args: [word = ""], options }) {
    const client = await desk.client();
    const run = await client.runs.retry(runNamed(word), options.fromFailed ? "failed" : "start");
    await tellNewer(desk, run);
    if (options.follow) return outcomeCode(await followRun(desk, run.id));
    return done(desk, run, "begun again");
  },
});

/** A retry does what the run was begun with. Who has mended the workflow meanwhile wants something else. */
async function tellNewer(desk: CliDesk, { id, scope, about }: Run): Promise<void> {
  if (about.kind !== "Workflow") return;
  const client = await desk.client();
  const kind = await desk.kind(about.kind);
  // Who may not read the workflow, or has deleted it, has nothing newer to begin.
  const now = await client
    .kind(kind)
    .get(scope, about.name)
    .catch(() => undefined);
  if (now === undefined || now.metadata.generation === about.generation) return;
  desk.say(
    `it is done as generation ${about.generation} says; as it is now, keeping what succeeded: reeve run ${about.name} --keep ${shortId(id)}`,
  );
}

const waitsForApproval = {
  test: (step: Step) => stepCan("approve", step).yes,
  what: "waits for an approval",
};

const approve = answering("approve", "Approve a step that waits for it");
const reject = answering("reject", "Reject a step that waits for approval; it fails");

function answering(verb: "approve" | "reject", summary: string) {
  return defineVerb<CliDesk>()({
    name: verb,
    group: "change",
    summary,
    args: [runArg, stepArg],
    options: { note: text("TEXT", "Kept with the run and in the audit") },
    example: `reeve ${verb} 1f2e3d4c --note 'looked at the plan'`,
    async run(desk, { args: [word = "", name], options }) {
      const client = await desk.client();
      const id = runNamed(word);
      const step = await stepNamed(client, id, name, waitsForApproval);
      const run = await client.runs[verb](id, step.seq, options.note);
      return done(desk, run, `${step.name} ${verb === "approve" ? "approved" : "rejected"}`);
    },
  });
}

const skip = defineVerb<CliDesk>()({
  name: "skip",
  group: "change",
  summary: "Leave a step out that has not begun",
  args: [runArg, { name: "STEP" }],
  options: { asSucceeded: flag("Those after it go on as if it had succeeded") },
  example: "reeve skip 1f2e3d4c notify --as-succeeded",
  async run(desk, { args: [word = "", name], options }) {
    const client = await desk.client();
    const id = runNamed(word);
    const step = await stepNamed(client, id, name, { test: () => false, what: "is named" });
    const run = await client.runs.skip(id, step.seq, options.asSucceeded ? "succeeded" : undefined);
    return done(desk, run, `${step.name} skipped`);
  },
});

const outcomes = ["succeeded", "failed", "again"] as const;

const decide = defineVerb<CliDesk>()({
  name: "decide",
  group: "change",
  summary: "Say what became of a step whose agent was lost: succeeded, failed, or again",
  args: [runArg, { name: "STEP" }, { name: "OUTCOME", completes: outcomes }],
  example: "reeve decide 1f2e3d4c charge succeeded",
  async run(desk, { args: [word = "", name, outcome] }) {
    const wanted = outcomes.find((one) => one === outcome);
    if (wanted === undefined)
      throw new Usage(`${JSON.stringify(outcome)} is no outcome`, `one of ${outcomes.join(", ")}`);
    const client = await desk.client();
    const id = runNamed(word);
    const step = await stepNamed(client, id, name, { test: () => false, what: "is named" });
    return done(desk, await client.runs.decide(id, step.seq, wanted), `${step.name} decided: ${wanted}`);
  },
});

/** Pauses or resumes a run when the word names one; undefined when it names a resource. */
export async function steerNamed(
  desk: CliDesk,
  verb: "pause" | "resume",
  word: string,
): Promise<number | undefined> {
  const id = runMeant(word);
  if (id === undefined) return undefined;
  return done(desk, await (await desk.client()).runs[verb](id), `${verb}d`);
}

async function done(desk: CliDesk, run: Run, what: string): Promise<number> {
  if (await desk.data(run)) return 0;
  desk.say(`${run.about.name} ${shortId(run.id)} ${what}; it is ${stateWords(run)}`);
  return 0;
}

export const steeringVerbs = [cancel, retry, approve, reject, skip, decide];
