import { type GraphStep, hasEnded, showDuration } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  itemOutputBytes,
  lockRuns,
  lockSteps,
  peekSteps,
  readFacts,
  readItems,
  type StepFact,
  type StepKey,
  type StepRow,
} from "@reeve/store/runs";
import { isCancelled } from "./attempt-ended.ts";
import { type Beginner, beginSteps, type Means } from "./begin.ts";
import { decide, gathered } from "./decide.ts";
import { expandStep } from "./expand.ts";
import { expressionScope } from "./facts.ts";
import { attendRun } from "./sub-run.ts";
import { begunWakeMs, overallIsOver, readyWakeMs } from "./timeouts.ts";
import {
  changeStep,
  definitionOf,
  endStep,
  type LockedRun,
  openTurn,
  type Turn,
  type Wrote,
  writeTurn,
} from "./turn.ts";

/** So many items in one transaction, and those of the fan-out that went over; others are for the next. */
const newMost = 20_000;
/** Of a fan-out: the list of them is read with every decision that may speak of it. */
const outputsMost = 8 * 1024 * 1024;

/** Looks at steps that are due or whose time has come, under the locks of their runs, and moves each one on. */
export async function attendSteps(sql: Sql, keys: readonly StepKey[], means: Means): Promise<Wrote> {
  const rows = await lockRuns(sql, [...new Set(keys.map((key) => key.run))]);
  const [steps, facts] = await Promise.all([
    peekSteps(sql, keys),
    readFacts(
      sql,
      rows.map((row) => row.id),
    ),
  ]);
  const planFor = await means.plans.load(
    sql,
    rows.map((row) => row.graph),
  );
  const runs = new Map(rows.map((row) => [row.id, { row, plan: planFor(row.graph) }]));
  const factsOf = Map.groupBy(facts, (fact) => fact.run);
  const turn = openTurn();
  const beginners: Beginner[] = [];
  const claimable: StepKey[] = [];
  let left = false;
  for (const step of steps) {
    const run = runs.get(step.run);
    if (run === undefined || hasEnded(step.state)) continue;
    left = turn.steps.length >= newMost;
    if (left) break;
    const one = { run, step, facts: factsOf.get(step.run) ?? [] };
    if (step.state === "due") await attendDue(sql, turn, one, beginners, means);
    else if (step.woken && step.reason === null) claimable.push(step);
    else if (step.woken) attendWoken(turn, one, beginners);
  }
  await beginSteps(sql, turn, beginners, means);
  // Agents take and accept without the lock of the run: as these are now they stay, and no lock of a limit comes after theirs.
  for (const step of claimable.length > 0 ? await lockSteps(sql, claimable) : [])
    attendTime(turn, runs.get(step.run) as LockedRun, step);
  const wrote = await writeTurn(sql, turn);
  return left ? { ...wrote, due: true } : wrote;
}

async function attendDue(
  sql: Sql,
  turn: Turn,
  one: Beginner,
  beginners: Beginner[],
  means: Means,
): Promise<unknown> {
  const { run, step, facts } = one;
  const definition = definitionOf(one);
  if (definition.over !== undefined && step.parent === null && step.tries > 0) {
    const bytes = await itemOutputBytes(sql, step.run, step.seq);
    if (bytes > outputsMost)
      return endStep(turn, run, step, "failed", {
        why: `the outputs of its items are ${bytes} bytes together, and ${outputsMost} are allowed; keep what is large elsewhere and name the place`,
      });
    const { state, why, outputs } = gathered(await readItems(sql, step.run, step.seq));
    return endStep(turn, run, step, state, { why, outputs });
  }
  if (isCancelled(run, definition)) return endStep(turn, run, step, "cancelled", { why: run.row.why });
  if (step.parent !== null) return beginners.push(one);
  const decision = decide(definition, {
    needs: needsOf(definition, run, facts),
    scope: expressionScope(run.row, run.plan, facts),
  });
  if (decision.to === "begin") return beginners.push(one);
  if (decision.to === "items") return expandStep(turn, one, decision.items, means);
  const { state, why, outputs = null } = decision;
  return endStep(turn, run, step, state, { why, outputs });
}

function needsOf({ needs }: GraphStep, { plan }: LockedRun, facts: readonly StepFact[]) {
  const states = new Map(facts.map(({ seq, state }) => [seq, state]));
  return needs.map((seq) => ({
    name: (plan.graph.steps[seq] as GraphStep).name,
    state: states.get(seq) ?? ("blocked" as const),
  }));
}

/** Its time has come: for another attempt, to go on, or to say that it took too long. */
function attendWoken(turn: Turn, one: Beginner, beginners: Beginner[]): unknown {
  const { run, step } = one;
  const { body } = definitionOf(one);
  if (step.reason === "retry") return beginners.push(one);
  if (step.reason === "timer") return endStep(turn, run, step, "succeeded");
  if (step.reason === "approval") {
    const within = body.does === "approve" ? (body.expiresMs ?? 0) : 0;
    return endStep(turn, run, step, "failed", { why: `nobody approved it within ${showDuration(within)}` });
  }
  if (step.reason === "run") return attendRun(turn, run, step);
  return attendTime(turn, run, step);
}

/** What an agent has or is to take: whether it took too long, or nobody came for it. */
function attendTime(turn: Turn, run: LockedRun, step: StepRow): Turn {
  const definition = definitionOf({ run, step });
  const begun = step.state === "offered" || step.state === "running";
  const late = overallIsOver(definition, step);
  if (late !== undefined && begun) return changeStep(turn, step, { why: late, stopping: true });
  if (late !== undefined) return endStep(turn, run, step, "failed", { why: late });
  if (begun) return changeStep(turn, step, { wakeMs: begunWakeMs(definition, step) });
  const { startMs = Number.POSITIVE_INFINITY } = definition.timeouts ?? {};
  if ((step.readyMs ?? 0) >= startMs)
    return endStep(turn, run, step, "failed", { why: `nothing began it within ${showDuration(startMs)}` });
  return changeStep(turn, step, { wakeMs: readyWakeMs(definition, step) });
}
