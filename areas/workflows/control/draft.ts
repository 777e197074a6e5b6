import { Fault, type JsonObject, newUid, type RunGraph } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import type { Stored } from "@reeve/store";
import { compile, readInputs, type WorkflowSpec } from "../kinds/index.ts";

/** What is said of a run when it begins. */
export interface Beginning extends Pick<RunDraft, "cause" | "by" | "keeps"> {
  readonly inputs?: JsonObject | undefined;
  readonly priority?: number | undefined;
  readonly scheduledAt?: string;
  /** Where in a request its inputs stand; `/inputs` when left out. */
  readonly pointer?: string;
}

/** A run of the workflow as it is now, with checked inputs: throws a Fault that names the place of each mistake. */
export function draftRun(workflow: Stored, beginning: Beginning): RunDraft {
  return draftRuns(workflow, [beginning])[0] as RunDraft;
}

/** They are written in one transaction, for which all other changes wait. */
const stepsAtOnce = 100_000;

/** Many at once share one graph. */
export function draftRuns(workflow: Stored, beginnings: readonly Beginning[]): RunDraft[] {
  const { scope, name, uid, generation } = workflow.metadata;
  const spec = workflow.spec as unknown as WorkflowSpec;
  const graph = graphOf(uid, generation, name, spec);
  const steps = graph.steps.length * beginnings.length;
  if (steps > stepsAtOnce)
    throw new Fault(
      "too_large",
      `${beginnings.length} runs of ${graph.steps.length} steps are ${steps} steps`,
      {
        next: `begin at most ${Math.floor(stepsAtOnce / graph.steps.length)} runs of it at once`,
      },
    );
  const about = { kind: "Workflow", name, uid, generation };
  return beginnings.map(({ inputs, pointer, priority = spec.priority ?? 0, ...rest }) => ({
    id: newUid(),
    scope,
    about,
    graph,
    inputs: readInputs(spec.inputs, inputs, pointer),
    priority,
    ...rest,
  }));
}

const graphs = new Map<string, RunGraph>();
const graphsKept = 500;

/** A generation never changes, so it is compiled once. */
function graphOf(uid: string, generation: number, name: string, spec: WorkflowSpec): RunGraph {
  const key = `${uid} ${generation}`;
  const known = graphs.get(key);
  if (known !== undefined) return known;
  const graph = compile(name, spec);
  if (graphs.size >= graphsKept) graphs.delete(graphs.keys().next().value as string);
  graphs.set(key, graph);
  return graph;
}
