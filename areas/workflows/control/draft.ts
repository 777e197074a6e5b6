import { type JsonObject, newUid } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import type { Stored } from "@reeve/store";
import { compile, readInputs, type WorkflowSpec } from "../kinds/index.ts";

/** What is said of a run when it begins. */
export interface Beginning extends Pick<RunDraft, "cause" | "by"> {
  readonly inputs?: JsonObject | undefined;
  readonly priority?: number | undefined;
  readonly scheduledAt?: string;
}

/** A run of the workflow as it is now, with checked inputs: throws a Fault that names the place of each mistake. */
export function draftRun(workflow: Stored, beginning: Beginning): RunDraft {
  const { scope, name, uid, generation } = workflow.metadata;
  const spec = workflow.spec as unknown as WorkflowSpec;
  const { inputs, priority = spec.priority ?? 0, ...rest } = beginning;
  return {
    id: newUid(),
    scope,
    about: { kind: "Workflow", name, uid, generation },
    graph: compile(name, spec),
    inputs: readInputs(spec.inputs, inputs),
    priority,
    ...rest,
  };
}
