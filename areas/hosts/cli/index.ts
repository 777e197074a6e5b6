/** The verbs of hosts and their agents. */
import type { AnyVerb } from "@reeve/sdk/cli";

export const hostsVerbs: readonly AnyVerb[] = [];
