import type { MeasuredStage } from "../measure/stages.ts";
import { measureOverview, measureRunPage } from "./measure-first-load.ts";
import { measureList } from "./measure-list.ts";
import { measureLive } from "./measure-live.ts";
import { measureLog } from "./measure-log.ts";
import type { Site } from "./site.ts";

export const stages: readonly MeasuredStage<Site>[] = [
  { name: "overview", title: "First load of the overview, CPU / 4", measure: measureOverview },
  { name: "run", title: "First load of a run of 500, CPU / 4", measure: measureRunPage },
  { name: "list", title: "A list of 10,000 rows", measure: measureList },
  { name: "log", title: "A log of 1,000,000 lines", measure: measureLog },
  { name: "live", title: "100 changes a second", measure: measureLive },
];
