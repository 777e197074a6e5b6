import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import { nextTicks, Workflow } from "../kinds/index.ts";

export const schedulePreview = defineVerb()({
  name: "schedule preview",
  group: "read",
  summary: "Show when a workflow's schedules will fire",
  args: [{ name: "WORKFLOW", completes: "name" }],
  options: {
    count: text("N", "How many ticks of each schedule (10)", { short: "n" }),
    from: text("TIME", "After this moment instead of now, such as 2027-03-28T00:00:00Z"),
  },
  example: "reeve schedule preview nightly -n 5",
  async run(desk, { args: [word = ""], options }) {
    const { scope, name } = await desk.target("workflow", word);
    const { spec, metadata } = await (await desk.client()).kind(Workflow).get(scope, name);
    const from = options.from === undefined ? new Date() : new Date(options.from);
    const count = Number(options.count ?? 10);
    if (Number.isNaN(from.getTime())) throw new Usage("--from: write a time such as 2027-03-28T00:00:00Z");
    if (!Number.isInteger(count) || count < 1 || count > 1000)
      throw new Usage("-n: write a number from 1 to 1000");
    const ticks = (spec.schedules ?? []).map((schedule) => ({
      schedule: schedule.name,
      paused: metadata.paused === true || schedule.paused === true,
      timezone: schedule.timezone,
      ticks: nextTicks(schedule, from, count).map((tick) => tick.toISOString()),
    }));
    if (await desk.data(ticks)) return 0;
    if (ticks.length === 0) desk.say(`${name} has no schedules`);
    for (const one of ticks)
      if (one.paused) desk.say(`${one.schedule} is paused: it will not fire until it is resumed`);
    desk.table(
      ["Schedule", "At", "On its own clock"],
      ticks.flatMap((one) => one.ticks.map((tick) => [one.schedule, tick, shownIn(tick, one.timezone)])),
    );
    return 0;
  },
});

function shownIn(tick: string, timeZone: string): string {
  const shown = new Date(tick).toLocaleString("sv-SE", { timeZone, timeZoneName: "shortOffset" });
  return `${new Date(tick).toLocaleString("en", { timeZone, weekday: "short" })} ${shown}`;
}
