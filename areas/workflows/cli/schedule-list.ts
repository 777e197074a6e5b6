import { showDuration } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";

export const scheduleList = defineVerb()({
  name: "schedule list",
  group: "read",
  summary: "List schedules: when they run next, when they ran last",
  example: "reeve schedule list",
  async run(desk) {
    const all = await (await desk.client()).schedules.list(desk.flags.scope);
    if (await desk.data(all)) return 0;
    const now = Date.now();
    const place = desk.flags.scope ?? "this scope";
    if (all.length === 0)
      desk.say(
        `no schedules in ${place}; a workflow has them under spec.schedules: reeve explain workflow.schedules`,
      );
    else
      desk.table(
        ["Workflow", "Schedule", "Next", "Last", "Cron", "Zone"],
        all.map((one) => [
          `${one.scope}/${one.workflow}`,
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
