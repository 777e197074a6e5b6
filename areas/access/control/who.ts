import type { AreaRoute } from "@reeve/control";
import { type Caller, Fault } from "@reeve/model";

/** The caller of a route that only signed-in callers reach. */
export function who(caller: Parameters<AreaRoute["run"]>[0]["caller"]): Caller {
  if (caller === undefined)
    throw new Fault("internal", "a route for signed-in callers was reached without one");
  return caller;
}
