/** The verbs of agents and their hosts. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { agentDrain, agentResume } from "./agent-drain.ts";
import { agentList } from "./agent-list.ts";
import { agentRevoke } from "./agent-revoke.ts";
import { agentToken } from "./agent-token.ts";
import { host } from "./host.ts";
import { shell } from "./shell.ts";
import { topHosts } from "./top.ts";

export const hostsVerbs: readonly AnyVerb[] = [
  agentList,
  agentToken,
  agentDrain,
  agentResume,
  agentRevoke,
  host,
  topHosts,
  shell,
];
