/** The kinds of hosts: the machines that agents run on, and what new ones join with. */
import type { Kind } from "@reeve/model";
import { Host } from "./host.ts";
import { JoinToken } from "./join-token.ts";

export {
  type AgentState,
  agentStates,
  type HostFacts,
  type HostStatus,
  homeLabel,
  refuseOurs,
} from "./host.ts";
export { joinHours } from "./join-token.ts";
export { Host, JoinToken };

export const hostsKinds: readonly Kind[] = [Host, JoinToken];
