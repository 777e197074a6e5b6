import { useCan } from "@reeve/kit";
import type { RunVerb, Scope, Verdict } from "@reeve/model";

/** Why the person cannot do it: as the run is now, or because they may not. Undefined when nothing is in the way. */
export function useWhyNot(verb: RunVerb, scope: Scope, verdict: Verdict): string | undefined {
  const can = useCan({ verb, kind: "runs", scope });
  if (!verdict.yes) return verdict.why;
  return can.allowed === false ? can.reason : undefined;
}
