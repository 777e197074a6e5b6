import type { Executor } from "@reeve/agent";
import { workflowExecutors } from "@reeve/workflows/agent";

/** What this agent can do. An area adds its executors by a line. */
export const executors: readonly Executor[] = [...workflowExecutors];
