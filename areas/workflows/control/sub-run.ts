import type { Tools } from "@reeve/control";
import { Fault, selfAndAncestors, showAddress } from "@reeve/model";
import type { RunHooks } from "@reeve/runs";
import { readResource, type Stored } from "@reeve/store";
import { canBegin } from "../kinds/index.ts";
import { draftRun } from "./draft.ts";

/**
 * The run of a workflow that a step begins: the nearest of that name, in the step's scope or above. It runs in the step's scope, so
 * that a workflow shared by many serves each with its own secrets and hosts, and lends nobody those of its own scope.
 */
export function draftSubRun({ database }: Pick<Tools, "database">): RunHooks["draft"] {
  return async (scope, { kind, name, inputs }) => {
    if (kind !== "Workflow") throw new Fault("precondition", `a step cannot begin a run of the kind ${kind}`);
    let workflow: Stored | undefined;
    for (const one of selfAndAncestors(scope))
      workflow ??= await readResource(database, { kind, scope: one, name });
    if (workflow === undefined)
      throw new Fault(
        "precondition",
        `there is no Workflow ${name} in ${scope || "the installation"} or above`,
      );
    const can = canBegin(workflow);
    if (!can.yes)
      throw new Fault(
        "precondition",
        `${showAddress({ kind, scope: workflow.metadata.scope, name })}: ${can.why}`,
      );
    const { id: _, cause: _c, by: _b, ...draft } = draftRun(workflow, { inputs, cause: "run", by: "" });
    return { ...draft, scope };
  };
}
