import type { Resource } from "@reeve/model";
import { stateAllows } from "../known-kinds.ts";
import { useCan } from "../live/use-can.ts";

/** Why this cannot be done to the resource now: its state, or one's rights. Undefined when it can. */
export function useWhyNot(verb: string, resource: Resource): string | undefined {
  const { scope, name } = resource.metadata;
  const { allowed, reason } = useCan({ verb, kind: resource.kind, scope, name });
  const verdict = stateAllows(verb, resource);
  if (!verdict.yes) return verdict.why;
  return allowed === false ? reason : undefined;
}
