/** The control plane's side of workflows: what begins their runs, and what follows from their ends. */
import type { ControlArea } from "@reeve/control";
import { workflowsMigrations, workflowsRetention } from "../store/index.ts";
import { notePromises, startJudging } from "./endings/late.ts";
import { tellEnds } from "./endings/told.ts";
import { startClock } from "./schedules/clock.ts";
import { workflowController } from "./workflow.ts";

export const workflowsArea: ControlArea = {
  name: "workflows",
  controllers: [workflowController],
  migrations: workflowsMigrations,
  retention: workflowsRetention,
  runHooks: () => ({ admitted: notePromises, ended: tellEnds }),
  start(tools) {
    const stops = [startClock(tools), startJudging(tools)];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  },
};
