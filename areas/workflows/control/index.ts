/** The control plane's side of workflows: what begins their runs, and what follows from their ends. */
import type { ControlArea } from "@reeve/control";
import type { Kind } from "@reeve/model";
import { workflowsMigrations, workflowsRetention } from "../store/index.ts";
import { notePromises, startJudging } from "./endings/late.ts";
import { tellEnds } from "./endings/told.ts";
import { startClock } from "./schedules/clock.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import { pushRoutes } from "./sources/push.ts";
import { sourceController } from "./sources/source.ts";
import { draftSubRun } from "./sub-run.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import type { OpenSecrets } from "./webhooks/signing-secret.ts";
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
    routes: (context) => [
      ...webhookRoutes(context, openSecrets),
      ...pushRoutes(context, openSecrets),
      ...scheduleRoutes(context),
    ],
    runHooks: (tools) => ({ draft: draftSubRun(tools), admitted: notePromises, ended: tellEnds }),
    start(tools) {
      const stops = [startClock(tools), startJudging(tools)];
      return async () => void (await Promise.all(stops.map((stop) => stop())));
    },
  };
}
