import type { Executor, Keeper, Opener } from "@reeve/agent";
import { shellOpener } from "@reeve/hosts/agent";
import { type DockerPlace, servicesOn } from "@reeve/services/agent";
import { workflowExecutors } from "@reeve/workflows/agent";

/** What this agent can do. An area adds its executors by a line. */
export const executors: readonly Executor[] = [...workflowExecutors];

/** What it can keep true, and what people may look at. */
export function partsWith(docker: DockerPlace, folder: string): { keepers: Keeper[]; openers: Opener[] } {
  const services = servicesOn(docker, folder);
  return { keepers: [services.keeper], openers: [...services.openers, shellOpener] };
}
