/** The control plane's side of workflows: what begins their runs, and what follows from their ends. */
import { type ControlArea, type OpenSecrets, pushRoutes } from "@reeve/control";
import type { Kind } from "@reeve/model";
import { canFollow } from "@reeve/secrets/kinds";
import { Source, sourcePushes } from "../kinds/index.ts";
import { scheduleSpecs, workflowsMigrations, workflowsRetention } from "../store/index.ts";
import { notePromises, startJudging } from "./endings/late.ts";
import { tellEnds } from "./endings/told.ts";
import { startClock } from "./schedules/clock.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import { sourceController } from "./sources/source.ts";
import { draftSubRun } from "./sub-run.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { workflowController } from "./workflow.ts";

interface WorkflowsSettings {
  /** Gives the secrets that webhooks are signed with. */
  readonly openSecrets: OpenSecrets;
  /** Kinds whose resources steps may make. */
  readonly makes: readonly Kind[];
}

export function workflowsArea({ openSecrets, makes }: WorkflowsSettings): ControlArea {
  return {
    name: "workflows",
    controllers: [workflowController(makes), sourceController],
    migrations: workflowsMigrations,
    retention: workflowsRetention,
    atRest: [scheduleSpecs],
    routes: (context) => [
      ...webhookRoutes(context, openSecrets),
      ...pushRoutes(context, { kind: Source, path: sourcePushes, can: canFollow, openSecrets }),
      ...scheduleRoutes(context),
    ],
    runHooks: (tools) => ({ draft: draftSubRun(tools), admitted: notePromises, ended: tellEnds }),
    start(tools) {
      const stops = [startClock(tools), startJudging(tools)];
      return async () => void (await Promise.all(stops.map((stop) => stop())));
    },
  };
}
