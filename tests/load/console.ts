import { openSite } from "./console/site.ts";
import { stages } from "./console/stages.ts";
import type { Bench } from "./measure/bench.ts";
import { runStaged } from "./measure/staged.ts";

/** The console in a headless Chromium on the machine of its server: first loads, long lists, long logs, many changes. */
export const consoleBench: Bench = {
  summary: "first loads, a list of 10,000 rows, a log of 1,000,000 lines, live changes",
  minutes: 15,
  quickMinutes: 8,
  stages: stages.map(({ name }) => name),
  run: (premises, options) =>
    runStaged(premises, options, { bench: "console", title: "Console benchmark", stages, open: openSite }),
};
