import { Fault, fillTemplates, type GraphStep, newUid, parseLabelSelector, showDuration } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { depthOf, lockLimits, type StepFact, type StepRow, stepsUnder } from "@reeve/store/runs";
import { admitRuns } from "./admit.ts";
import { wordsOf } from "./decide.ts";
import { expressionScope } from "./facts.ts";
import type { Heads } from "./offers.ts";
import { readyWakeMs } from "./plan.ts";
import type { Plans } from "./plans.ts";
import { noQueue, type Queues, queueOf } from "./queue-ids.ts";
import type { RunHooks } from "./runs.ts";
import { changeStep, endStep, type LockedRun, type Turn } from "./turn.ts";

export interface Means {
  readonly plans: Plans;
  readonly heads: Heads;
  readonly queues: Queues;
  readonly hooks: RunHooks;
  /** The kind of the quotas that also limit runs. */
  readonly quotas: string | undefined;
}

/** A step whose turn has come, with what its expressions may see. */
export interface Beginner {
  readonly run: LockedRun;
  readonly step: StepRow;
  readonly facts: readonly StepFact[];
}

const depthMost = 10;

/** Begins steps: ready for an agent, if their limits have room; or waiting for a person, a time, another run or a resource. */
export async function beginSteps(
  sql: Sql,
  turn: Turn,
  beginners: readonly Beginner[],
  means: Means,
): Promise<void> {
  const executes: (Beginner & { key: string | null; most: number; queue: string })[] = [];
  for (const beginner of beginners) {
    const { run, step } = beginner;
    const definition = definitionOf(beginner);
    if (run.row.pausedAt !== null) {
      changeStep(turn, step, { state: "waiting", reason: "paused", why: "" });
      continue;
    }
    try {
      if (definition.body.does === "execute")
        executes.push({ ...beginner, ...(await placeOf(beginner, means)) });
      else await beginOther(sql, turn, beginner, means);
    } catch (error) {
      endStep(turn, run, step, "failed", { why: wordsOf(error) });
    }
  }
  const keys = executes.flatMap(({ key }) => key ?? []);
  if (keys.length > 0) await lockLimits(sql, keys);
  const under = keys.length > 0 ? await stepsUnder(sql, keys) : new Map<string, number>();
  for (const { step, key, most, queue, ...one } of executes) {
    const count = key === null ? 0 : (under.get(key) ?? 0);
    const wakeMs = readyWakeMs(definitionOf({ step, ...one }));
    // A step that was admitted before, such as one whose agent was lost, is counted already.
    const counted = key !== null && step.limitKey === key && step.state === "ready";
    if (key === null || counted || count < most) {
      if (key !== null && !counted) under.set(key, count + 1);
      changeStep(turn, step, {
        state: "ready",
        reason: null,
        why: "",
        limitKey: key,
        queue,
        agent: null,
        wakeMs,
      });
    } else
      changeStep(turn, step, {
        state: "waiting",
        reason: "limit",
        why: `${count} of at most ${most} under way`,
        limitKey: key,
        queue,
        wakeMs,
      });
  }
}

export function definitionOf({ run, step }: Pick<Beginner, "run" | "step">): GraphStep {
  return run.plan.graph.steps[step.def] as GraphStep;
}

/** The limit and the queue of a step that agents do. */
async function placeOf(
  { run, step, facts }: Beginner,
  { queues }: Means,
): Promise<{ key: string | null; most: number; queue: string }> {
  const definition = definitionOf({ run, step });
  const { row, plan } = run;
  const limit = limitOf(run, step, facts);
  if (!definition.selector?.includes("${{")) {
    const queue = queueOf(row.scope, definition);
    if (queue === undefined) return { ...limit, queue: noQueue };
    return { ...limit, queue: (await queues.ensure([queue]))(queue) };
  }
  const selector = String(fillTemplates(definition.selector, expressionScope(row, plan, facts, step)));
  parseLabelSelector(selector);
  const queue = queueOf(row.scope, definition, selector);
  if (queue === undefined) return { ...limit, queue: noQueue };
  return { ...limit, queue: (await queues.ensure([queue]))(queue) };
}

/** Items of a fan-out that is bounded share a limit of their own; their step's limit then has no say. */
function limitOf(
  { row, plan }: LockedRun,
  step: StepRow,
  facts: readonly StepFact[],
): { key: string | null; most: number } {
  const definition = plan.graph.steps[step.def] as GraphStep;
  const { limit, over } = definition;
  const most = mostOf(definition, step.parent);
  if (step.parent !== null && over?.atOnce !== undefined)
    return { key: itemsLimitKey(step.run, step.parent), most };
  if (limit === undefined) return { key: null, most };
  const key = fillTemplates(limit.key, expressionScope(row, plan, facts, step));
  return { key: `step ${row.scope} ${typeof key === "string" ? key : JSON.stringify(key)}`, most };
}

/** How many may be under way at once under the limit of a step, or of an item of it; 0 when there is none. */
export function mostOf({ limit, over }: GraphStep, parent: number | null): number {
  return (parent !== null ? over?.atOnce : undefined) ?? limit?.most ?? 0;
}

export function itemsLimitKey(run: string, parent: number): string {
  return `items ${run} ${parent}`;
}

async function beginOther(
  sql: Sql,
  turn: Turn,
  { run, step, facts }: Beginner,
  means: Means,
): Promise<unknown> {
  const { row, plan } = run;
  const { body } = definitionOf({ run, step });
  const scope = expressionScope(row, plan, facts, step);
  if (body.does === "wait")
    return changeStep(turn, step, {
      state: "waiting",
      reason: "timer",
      why: `waits ${showDuration(body.ms)}`,
      wakeMs: body.ms,
    });
  if (body.does === "approve")
    return changeStep(turn, step, {
      state: "waiting",
      reason: "approval",
      why: String(fillTemplates(body.text, scope)),
      wakeMs: body.expiresMs ?? null,
    });
  // Made, and looked at, when it is attended to: not while runs are locked.
  if (body.does === "make")
    return changeStep(turn, step, {
      state: "waiting",
      reason: "resource",
      why: "",
      child: newUid(),
      wakeMs: 0,
    });
  if (body.does !== "run") return turn;
  if ((await depthOf(sql, row.id)) >= depthMost)
    throw new Fault("precondition", `${depthMost} runs stand above this one`, {
      next: "a workflow that begins itself, also through others, must end somewhere",
    });
  const inputs = fillTemplates(body.inputs, scope);
  const draft = await means.hooks.draft(row.scope, { kind: body.kind, name: body.name, inputs });
  const child = newUid();
  const parent = { run: row.id, seq: step.seq };
  await admitRuns(
    sql,
    [{ ...draft, id: child, cause: "run", by: `run:${row.id}`, parent, priority: row.priority }],
    means,
  );
  return changeStep(turn, step, { state: "waiting", reason: "run", why: "", child });
}
