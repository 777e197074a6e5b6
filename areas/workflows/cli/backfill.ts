import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import { Workflow } from "../kinds/index.ts";

export const backfill = defineVerb()({
  name: "backfill",
  group: "change",
  summary: "Begin the runs that a schedule would have begun in a time that is over",
  args: [{ name: "WORKFLOW", completes: "name" }],
  options: {
    schedule: text("NAME", "Whose ticks; not needed when there is only one schedule"),
    from: text("TIME", "From this moment on, such as 2026-11-01T00:00:00Z"),
    until: text("TIME", "Before this moment"),
    most: text("N", "Refuse to begin more runs than this (1000)"),
    newestFirst: flag("Begin with the newest tick"),
    again: flag("Also ticks that have had their run"),
    dryRun: flag("Only show which ticks would run"),
  },
  example: "reeve backfill nightly --from 2026-11-01T00:00:00Z --until 2026-11-08T00:00:00Z",
  async run(desk, { args: [word = ""], options }) {
    const { scope, name } = await desk.target("workflow", word);
    const client = await desk.client();
    const { spec } = await client.kind(Workflow).get(scope, name);
    const names = (spec.schedules ?? []).map((one) => one.name);
    const schedule = options.schedule ?? (names.length === 1 ? names[0] : undefined);
    if (schedule === undefined)
      throw new Usage(`--schedule: name one of ${names.join(", ") || "none, it has no schedules"}`);
    if (options.from === undefined || options.until === undefined) throw new Usage("give --from and --until");
    const most = options.most === undefined ? undefined : Number(options.most);
    if (most !== undefined && !(Number.isInteger(most) && most > 0))
      throw new Usage("--most: write a number");
    const done = await client.schedules.backfill(
      { kind: Workflow, scope, name },
      {
        schedule,
        from: options.from,
        until: options.until,
        ...(most === undefined ? {} : { most }),
        ...(options.newestFirst ? { newestFirst: true } : {}),
        ...(options.again ? { again: true } : {}),
        ...(options.dryRun ? { dryRun: true } : {}),
      },
    );
    if (await desk.data(done)) return 0;
    desk.table(
      ["Tick", "Run"],
      done.runs.map(({ tick, run }) => [tick, run ?? "would run"]),
    );
    if (done.known > 0)
      desk.say(`${done.known} ticks have had their run and were left out; --again runs them too`);
    return 0;
  },
});
