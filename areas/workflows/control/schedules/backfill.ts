import type { ActionPlan, ActionRequest, Tools } from "@reeve/control";
import { Fault, invalidField, type JsonObject, newUid, showSubject } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { readNow } from "@reeve/store";
import type { z } from "zod";
import { type backfillInput, ticksBetween, type WorkflowSpec } from "../../kinds/index.ts";
import { claimTicks, insertBackfill, knownTicks } from "../../store/index.ts";
import { draftRuns } from "../draft.ts";

/**
 * Begins a run for every tick of a time that is over, unless it has had one. They are all written at once and wait for their turn by
 * the workflow's own limit, behind what is begun by the schedule itself.
 */
export async function backfill(
  { resource, caller, input }: ActionRequest,
  tools: Tools,
): Promise<ActionPlan> {
  const {
    schedule: name,
    from,
    until,
    most,
    newestFirst,
    again,
    dryRun,
  } = input as z.infer<typeof backfillInput>;
  const spec = resource.spec as unknown as WorkflowSpec;
  const schedule = spec.schedules?.find((one) => one.name === name);
  if (schedule === undefined)
    throw invalidField(
      "/schedule",
      `there is no schedule ${name}`,
      `its schedules: ${(spec.schedules ?? []).map((one) => one.name).join(", ") || "none"}`,
    );
  if (Date.parse(until) > (await readNow(tools.database))) throw invalidField("/until", "is not over yet");
  const { uid: workflow } = resource.metadata;
  const known = again ? new Map() : await knownTicks(tools.database, workflow, name, from, until);
  const ticks = ticksBetween(schedule, new Date(from), new Date(until)).map((tick) => tick.toISOString());
  const wanted = ticks.filter((tick) => !known.has(Date.parse(tick)));
  if (wanted.length > most)
    throw new Fault("invalid", `there are ${wanted.length} ticks, more than ${most}`, {
      next: "choose a shorter time, or raise `most`",
    });
  if (newestFirst) wanted.reverse();
  const left = { known: ticks.length - wanted.length };
  if (dryRun || wanted.length === 0)
    return { output: () => ({ runs: wanted.map((tick) => ({ tick })), ...left }) };

  const by = showSubject(caller.subject);
  const id = newUid();
  const priority = (spec.priority ?? 0) - 1;
  const inputs = schedule.inputs as JsonObject | undefined;
  const drafts = draftRuns(
    resource,
    wanted.map((tick) => ({ inputs, cause: "backfill", by, priority, scheduledAt: tick })),
  );
  const runs = wanted.map((tick, at) => ({ tick, run: (drafts[at] as RunDraft).id }));
  return {
    async also(sql) {
      const claimed = await claimTicks(
        sql,
        runs.map(({ tick, run }) => ({ workflow, schedule: name, tick, run, backfill: id })),
        again,
      );
      if (claimed.size < runs.length)
        throw new Fault("conflict", "some of these ticks have just been given a run", { next: "try again" });
      await insertBackfill(sql, { id, workflow, schedule: name, from, until, ticks: runs.length, by });
      await tools.runs.admit(sql, drafts);
    },
    output: () => ({ backfill: id, runs, ...left }),
  };
}
