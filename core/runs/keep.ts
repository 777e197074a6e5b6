import { Fault, type GraphStep, hasEnded, type Json, type RunGraph, sameJson } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { lockRuns, readDecided, readFacts, type StepFact } from "@reeve/store/runs";
import type { Plan } from "./plan.ts";
import type { Plans } from "./plans.ts";
import type { RunDraft } from "./runs.ts";

/** Places of steps that are not done again, with their outputs. */
export type Kept = ReadonlyMap<number, Json>;

export const nothingKept: Kept = new Map();

/** What a new run of a definition need not do, because the run that it goes on from has done it. */
export async function keptBy(
  sql: Sql,
  { keeps, scope, about }: RunDraft,
  { graph }: Plan,
  plans: Plans,
): Promise<Kept> {
  if (keeps === undefined) return nothingKept;
  const [before] = await lockRuns(sql, [keeps]);
  if (before === undefined || before.scope !== scope || before.uid !== about.uid)
    throw new Fault("not_found", `there is no run ${keeps} of ${about.name}`, {
      next: `\`reeve runs --workflow ${about.name}\` lists its runs`,
    });
  if (!hasEnded(before.state))
    throw new Fault("precondition", `the run ${keeps} has not ended`, { next: "cancel it first, or wait" });
  const planFor = await plans.load(sql, [before.graph]);
  const decided = await readDecided(sql, keeps);
  const done = (await readFacts(sql, [keeps])).filter(({ seq }) => !decided.has(seq));
  const kept = keptSteps(graph, planFor(before.graph).graph, done);
  if (kept.size === graph.steps.length)
    throw new Fault("precondition", `there is nothing left to do: all steps of ${keeps} succeeded`, {
      next: "begin a run that keeps nothing",
    });
  return kept;
}

/**
 * What succeeded, is written as it was, and needs only what is kept as well. Never an approval, nor what a person said had succeeded:
 * that was given to what followed it then, which may be written otherwise now. Nor a cleanup: it comes after what is done now.
 */
function keptSteps(graph: RunGraph, before: RunGraph, facts: readonly StepFact[]): Kept {
  const past = new Map(before.steps.map((step, seq) => [step.name, { step, seq }]));
  const succeeded = new Map(
    facts.filter(({ state }) => state === "succeeded").map(({ seq, outputs }) => [seq, outputs]),
  );
  const kept = new Map<number, Json>();
  for (const [seq, step] of graph.steps.entries()) {
    const was = past.get(step.name);
    if (was === undefined || !succeeded.has(was.seq)) continue;
    if (step.body.does === "approve" || step.cleanup) continue;
    if (!step.needs.every((need) => kept.has(need))) continue;
    if (!sameJson(asWritten(graph, step), asWritten(before, was.step))) continue;
    kept.set(seq, succeeded.get(was.seq) as Json);
  }
  return kept;
}

/** A step by itself: those that it needs by their names, as their places may be others. */
function asWritten({ steps }: RunGraph, step: GraphStep): Json {
  const needs = step.needs.map((need) => (steps[need] as GraphStep).name).sort();
  return { ...step, needs } as unknown as Json;
}
