import { createHash } from "node:crypto";
import { type GraphStep, parseLabelSelector, type RunGraph } from "@reeve/model";

/** A graph with what the engine asks of it again and again. */
export interface Plan {
  readonly digest: Buffer;
  readonly graph: RunGraph;
  /** For each step the places of those that need it. */
  readonly after: readonly (readonly number[])[];
  readonly plain: readonly boolean[];
  /** For each step whether its body's words speak of other steps. */
  readonly looksBack: readonly boolean[];
  /** For each step whether an item of it makes room for the next one, on any agent that can do it. */
  readonly nextFollows: readonly boolean[];
}

const plans = new WeakMap<RunGraph, Plan>();

/** The same object gives the same plan: a bulk trigger makes it once. */
export function planOf(graph: RunGraph): Plan {
  const known = plans.get(graph);
  if (known !== undefined) return known;
  const made = makePlan(createHash("sha256").update(JSON.stringify(graph)).digest(), graph);
  plans.set(graph, made);
  return made;
}

/** Of a graph that was read back: its digest is the one it was stored under. */
export function makePlan(digest: Buffer, graph: RunGraph): Plan {
  checkGraph(graph);
  const after: number[][] = graph.steps.map(() => []);
  for (const [at, step] of graph.steps.entries()) for (const need of step.needs) after[need]?.push(at);
  return {
    digest,
    graph,
    after,
    plain: graph.steps.map(isPlain),
    looksBack: graph.steps.map(({ body }) => /\$\{\{[^}]*\bsteps\b/.test(JSON.stringify(body))),
    nextFollows: graph.steps.map(
      ({ over, selector }) => over?.atOnce !== undefined && !selector?.includes("${{"),
    ),
  };
}

/** Nothing is to be decided when all that it needs has succeeded: it becomes ready in the transaction that ends the last of them. */
function isPlain(step: GraphStep): boolean {
  return (
    step.rule === "all-succeeded" &&
    step.when === undefined &&
    step.over === undefined &&
    step.limit === undefined &&
    step.body.does === "execute" &&
    !step.selector?.includes("${{")
  );
}

/** Whoever compiles a graph has checked it; a mistake there must not make a run that never ends. */
function checkGraph({ steps }: RunGraph): void {
  if (steps.length === 0) throw new Error("a run's graph has at least one step");
  const names = new Set(steps.map((step) => step.name));
  if (names.size !== steps.length) throw new Error("two steps of a graph have the same name");
  for (const [at, step] of steps.entries()) {
    if (step.needs.some((need) => !(need >= 0 && need < at)))
      throw new Error(`the step ${step.name} needs one that does not stand before it`);
    if (new Set(step.needs).size !== step.needs.length)
      throw new Error(`the step ${step.name} needs one twice`);
    if (step.selector !== undefined && !step.selector.includes("${{")) parseLabelSelector(step.selector);
  }
}
