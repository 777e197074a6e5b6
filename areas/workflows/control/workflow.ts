import type { ActionPlan, ActionRequest, Admission, Controller, Tools } from "@reeve/control";
import { type JsonObject, type Kind, showSubject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { z } from "zod";
import { compile, type triggerInput, type triggerManyInput, type WorkflowSpec } from "../kinds/index.ts";
import { admitChannels, channelPlaces, channelsOf } from "./channels.ts";
import { draftRuns } from "./draft.ts";
import { admitMaking } from "./making.ts";
import { backfill } from "./schedules/backfill.ts";
import { followSpec } from "./schedules/follow.ts";

type Trigger = z.infer<typeof triggerInput>;

/** `makes` are the kinds whose resources steps may make. */
export function workflowController(makes: readonly Kind[]): Controller {
  return {
    kind: "Workflow",
    refers: ({ scope, spec }) => channelsOf(spec).flatMap(({ name }) => channelPlaces(name, scope)),
    admit: (admission) => admitWorkflow(admission, makes),
    also: followSpec,
    actions: { backfill, ...triggers },
  };
}

const triggers: Controller["actions"] & {} = {
  async trigger(request, tools) {
    const { runs, also } = begin(request, tools, [request.input as Trigger], "");
    return { also, output: () => ({ run: runs[0] as string }) };
  },
  async "trigger-many"(request, tools) {
    const wanted = (request.input as z.infer<typeof triggerManyInput>).runs;
    const { runs, also } = begin(request, tools, wanted, "/runs");
    return { also, detail: { runs: runs.length }, output: () => ({ runs }) };
  },
};

/** What cannot be compiled cannot be recorded. */
function admitWorkflow(admission: Admission, makes: readonly Kind[]): Stored {
  const { after } = admission;
  compile(after.metadata.name, after.spec as unknown as WorkflowSpec);
  admitMaking(admission, makes);
  admitChannels(admission);
  return after;
}

function begin(
  { resource, caller }: ActionRequest,
  tools: Tools,
  wanted: readonly Trigger[],
  pointer: string,
): { runs: string[]; also: ActionPlan["also"] & {} } {
  const by = showSubject(caller.subject);
  const drafts = draftRuns(
    resource,
    wanted.map(({ inputs, priority }, at) => ({
      inputs: inputs as JsonObject | undefined,
      priority,
      cause: "person",
      by,
      pointer: pointer === "" ? "/inputs" : `${pointer}/${at}/inputs`,
    })),
  );
  return { runs: drafts.map(({ id }) => id), also: (sql) => tools.runs.admit(sql, drafts) };
}
