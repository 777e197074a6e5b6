import { showDuration, showScope } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { Workflow } from "../kinds/index.ts";

export const scheduleList = defineVerb()({
  name: "schedule list",
  group: "read",
  summary: "List schedules: when they run next, when they ran last",
  example: "reeve schedule list",
  async run(desk) {
    const scope = await desk.scopeFor(Workflow);
    const all = await (await desk.client()).schedules.list(scope);
    if (await desk.data(all)) return 0;
    const now = Date.now();
    if (all.length === 0)
      desk.say(
        `no schedules in ${showScope(scope)}; a workflow has them under spec.schedules: reeve explain workflow.schedules`,
      );
    else
      desk.table(
        ["Workflow", "Schedule", "Next", "Last", "Cron", "Zone"],
        all.map((one) => [
          one.scope === "" ? one.workflow : `${one.scope}/${one.workflow}`,
          one.name,
          one.nextAt === null ? one.trouble || "paused" : `in ${showDuration(Date.parse(one.nextAt) - now)}`,
          one.lastAt === null ? "never" : `${showDuration(now - Date.parse(one.lastAt))} ago`,
          one.cron,
          one.timezone,
        ]),
      );
    return 0;
  },
});
