import type { ActionPlan, ActionRequest, Admission, Controller, Tools } from "@reeve/control";
import { Fault, invalidField, type JsonObject, type Kind, showSubject } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import type { Database, Stored } from "@reeve/store";
import { readRun } from "@reeve/store/runs";
import type { z } from "zod";
import { compile, type triggerInput, type triggerManyInput, type WorkflowSpec } from "../kinds/index.ts";
import { admitChannels, channelPlaces, channelsOf } from "./channels.ts";
import { draftRuns } from "./draft.ts";
import { admitMaking } from "./making.ts";
import { backfill } from "./schedules/backfill.ts";
import { followSpec } from "./schedules/follow.ts";

type Trigger = z.infer<typeof triggerInput>;
type Start = Pick<Trigger, "inputs" | "priority"> & Pick<RunDraft, "keeps" | "scheduledAt">;

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
    const start = await startOf(request, tools.database);
    const { runs, also } = begin(request, tools, [start], "");
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

/** A run that goes on from another has its inputs, and is for the same time of a schedule: what that one did, it did for them. */
async function startOf({ input, resource }: ActionRequest, database: Database): Promise<Start> {
  const { keep, ...start } = input as Trigger;
  if (keep === undefined) return start;
  if (start.inputs !== undefined)
    throw invalidField("/inputs", "leave them out: they are those of the run that is kept from");
  const { scope, name, uid } = resource.metadata;
  const before = (await readRun(database, keep))?.run;
  if (before === undefined || before.scope !== scope || before.about.uid !== uid)
    throw new Fault("not_found", `there is no run ${keep} of ${name}`, {
      next: `\`reeve runs --workflow ${name}\` lists its runs`,
    });
  const { inputs, scheduledAt } = before;
  return { ...start, inputs, keeps: keep, ...(scheduledAt === undefined ? {} : { scheduledAt }) };
}

function begin(
  { resource, caller }: ActionRequest,
  tools: Tools,
  wanted: readonly Start[],
  pointer: string,
): { runs: string[]; also: ActionPlan["also"] & {} } {
  const by = showSubject(caller.subject);
  const drafts = draftRuns(
    resource,
    wanted.map(({ inputs, ...rest }, at) => ({
      ...rest,
      inputs: inputs as JsonObject | undefined,
      cause: rest.keeps === undefined ? "person" : "retry",
      by,
      pointer: pointer === "" ? "/inputs" : `${pointer}/${at}/inputs`,
    })),
  );
  return { runs: drafts.map(({ id }) => id), also: (sql) => tools.runs.admit(sql, drafts) };
}
