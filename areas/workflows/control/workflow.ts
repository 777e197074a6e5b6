import type { ActionPlan, ActionRequest, Admission, Controller, Tools } from "@reeve/control";
import { type JsonObject, showSubject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { z } from "zod";
import { compile, type triggerInput, type triggerManyInput, type WorkflowSpec } from "../kinds/index.ts";
import { draftRun } from "./draft.ts";
import { backfill } from "./schedules/backfill.ts";
import { followSpec } from "./schedules/follow.ts";

export const workflowController: Controller = {
  kind: "Workflow",
  admit: admitWorkflow,
  also: followSpec,
  actions: {
    backfill,
    async trigger(request, tools) {
      const plan = begin(request, tools, [request.input as z.infer<typeof triggerInput>]);
      return { ...plan.acted, output: () => ({ run: plan.runs[0] as string }) };
    },
    async "trigger-many"(request, tools) {
      const { runs } = request.input as z.infer<typeof triggerManyInput>;
      const plan = begin(request, tools, runs);
      return { ...plan.acted, detail: { runs: runs.length }, output: () => ({ runs: plan.runs }) };
    },
  },
};

/** What cannot be compiled cannot be recorded. */
function admitWorkflow({ after }: Admission): Stored {
  compile(after.metadata.name, after.spec as unknown as WorkflowSpec);
  return after;
}

function begin(
  { resource, caller }: ActionRequest,
  tools: Tools,
  wanted: readonly z.infer<typeof triggerInput>[],
): { runs: string[]; acted: Pick<ActionPlan, "also"> } {
  const by = showSubject(caller.subject);
  const drafts = wanted.map(({ inputs, priority }) =>
    draftRun(resource, { inputs: inputs as JsonObject | undefined, priority, cause: "person", by }),
  );
  return { runs: drafts.map(({ id }) => id), acted: { also: (sql) => tools.runs.admit(sql, drafts) } };
}
