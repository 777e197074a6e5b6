import {
  Fault,
  fillTemplates,
  type GraphStep,
  newUid,
  parseLabelSelector,
  type StepBody,
  showDuration,
} from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  depthOf,
  hasPlace,
  lockLimits,
  type StepChange,
  type StepFact,
  type StepRow,
  stepsUnder,
} from "@reeve/store/runs";
import { admitRuns, limitKeyOf } from "./admit.ts";
import { wordsOf } from "./decide.ts";
import { expressionScope } from "./facts.ts";
import type { Heads } from "./offers.ts";
import { planOf } from "./plan.ts";
import type { Plans } from "./plans.ts";
import { noQueue, type Queues, queueOf } from "./queue-ids.ts";
import type { RunDraft, RunHooks } from "./runs.ts";
import { overallIsOver, readyWakeMs, timeLeft, wakeAfter } from "./timeouts.ts";
import { changeStep, definitionOf, endStep, type LockedRun, type Turn } from "./turn.ts";

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

/** The limit and the queue of a step, if it has them. */
interface Place {
  readonly key: string | null;
  readonly most: number;
  readonly queue: string;
}

const depthMost = 10;

/**
 * Begins steps, if their limits have room: ready for an agent; or waiting for a person, a time, another run or a resource. Runs that
 * they begin are written together, so that their limits are locked in order.
 */
export async function beginSteps(
  sql: Sql,
  turn: Turn,
  beginners: readonly Beginner[],
  means: Means,
): Promise<void> {
  const placed: (Beginner & Place)[] = [];
  for (const beginner of beginners) {
    const { run, step } = beginner;
    if (run.row.pausedAt !== null) {
      changeStep(turn, step, { state: "waiting", reason: "paused", why: "" });
      continue;
    }
    const late = overallIsOver(definitionOf(beginner), step);
    if (late !== undefined) {
      endStep(turn, run, step, "failed", { why: late });
      continue;
    }
    try {
      placed.push({ ...beginner, ...(await placeOf(beginner, means)) });
    } catch (error) {
      endStep(turn, run, step, "failed", { why: wordsOf(error) });
    }
  }
  const keys = placed.flatMap(({ key }) => key ?? []);
  if (keys.length > 0) await lockLimits(sql, keys);
  const under = keys.length > 0 ? await stepsUnder(sql, keys) : new Map<string, number>();
  for (const one of placed) {
    const { run, step, key, most, queue } = one;
    const count = key === null ? 0 : (under.get(key) ?? 0);
    // One that waited, and was given its place when there was room, is counted already.
    const counted = step.limitKey === key && hasPlace(step);
    if (key !== null && !counted && count >= most) {
      changeStep(turn, step, {
        state: "waiting",
        reason: "limit",
        why: `${count} of at most ${most} under way`,
        limitKey: key,
        queue,
        wakeMs: readyWakeMs(definitionOf(one), { openMs: step.openMs }),
      });
      continue;
    }
    try {
      changeStep(turn, step, { ...(await begun(sql, turn, one, means)), limitKey: key });
    } catch (error) {
      endStep(turn, run, step, "failed", { why: wordsOf(error) });
      continue;
    }
    if (key !== null && !counted) under.set(key, count + 1);
  }
  await admitRuns(sql, turn.children, means);
}

async function placeOf({ run, step, facts }: Beginner, { queues }: Means): Promise<Place> {
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

/** Items of a fan-out that is bounded share a limit of their own; no workflow is recorded whose step has another one beside it. */
function limitOf({ row, plan }: LockedRun, step: StepRow, facts: readonly StepFact[]): Omit<Place, "queue"> {
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

/** What becomes of a step that begins. */
async function begun(
  sql: Sql,
  turn: Turn,
  one: Beginner & Place,
  means: Means,
): Promise<Partial<StepChange>> {
  const { run, step, facts, queue } = one;
  const definition = definitionOf(one);
  const { body } = definition;
  switch (body.does) {
    case "execute":
      return {
        ...{ state: "ready", reason: null, why: "", queue, agent: null },
        wakeMs: readyWakeMs(definition, { openMs: step.openMs }),
      };
    case "wait":
      return {
        ...{ state: "waiting", reason: "timer", wakeMs: body.ms },
        why: `waits ${showDuration(body.ms)}`,
      };
    case "approve":
      return {
        ...{ state: "waiting", reason: "approval", wakeMs: body.expiresMs ?? null },
        why: String(fillTemplates(body.text, expressionScope(run.row, run.plan, facts, step))),
      };
    // Made, and looked at, when it is attended to: not while runs are locked.
    case "make":
      return { state: "waiting", reason: "resource", why: "", child: newUid(), wakeMs: 0 };
    case "run": {
      const child = await draftOf(sql, one, body, means);
      turn.children.push(child);
      const left = timeLeft(definition, { readyMs: 0, openMs: step.openMs });
      return { state: "waiting", reason: "run", why: "", child: child.id, wakeMs: wakeAfter(left.ms) };
    }
  }
}

async function draftOf(
  sql: Sql,
  { run: { row, plan }, step, facts }: Beginner,
  { kind, name, inputs }: Extract<StepBody, { does: "run" }>,
  { hooks }: Means,
): Promise<RunDraft> {
  if ((await depthOf(sql, row.id)) >= depthMost)
    throw new Fault("precondition", `${depthMost} runs stand above this one`, {
      next: "a workflow that begins itself, also through others, must end somewhere",
    });
  const filled = fillTemplates(inputs, expressionScope(row, plan, facts, step));
  const child: RunDraft = {
    ...(await hooks.draft(row.scope, { kind, name, inputs: filled })),
    ...{ id: newUid(), cause: "run", by: `run:${row.id}`, priority: row.priority },
    parent: { run: row.id, seq: step.seq },
  };
  // What is wrong with its key is told by this step, and not by all that are written with it.
  limitKeyOf(child, planOf(child.graph));
  return child;
}
