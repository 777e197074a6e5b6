import type { Executor, Keeper } from "@reeve/agent";
import { type DockerPlace, serviceKeeper } from "@reeve/services/agent";
import { workflowExecutors } from "@reeve/workflows/agent";

/** What this agent can do. An area adds its executors by a line. */
export const executors: readonly Executor[] = [...workflowExecutors];

/** What it can keep true. */
export const keepersWith = (docker: DockerPlace): readonly Keeper[] => [serviceKeeper(docker) as Keeper];
