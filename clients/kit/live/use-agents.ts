import type { Scope } from "@reeve/model";
import type { AgentNow, HeldStep } from "@reeve/sdk";
import { gatherAgents, gatherWork } from "./gather.ts";
import type { LiveList } from "./use-list.ts";
import { useWatched } from "./window-stream.ts";

/** When the agents at a scope and below it were heard last and how much they hold, by the uid of their host. */
export function useAgents(scope: Scope): ReadonlyMap<string, AgentNow> {
  return useWatched(`agents ${scope}`, () => gatherAgents(scope)).value;
}

/** The steps that a host holds now. */
export function useHostWork(scope: Scope, name: string): LiveList<HeldStep> {
  const { value, ...rest } = useWatched(`work ${scope} ${name}`, () => gatherWork({ scope, name }));
  return { rows: value, ...rest };
}
