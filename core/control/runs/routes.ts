import type { AreaRoute } from "../route.ts";
import { openFacts } from "./facts.ts";
import type { Live } from "./live.ts";
import type { OperationContext } from "./operate.ts";
import { runOperationRoutes, stepOperationRoutes } from "./operation-routes.ts";
import { readRoutes } from "./read-routes.ts";

/** Runs as people see and steer them. What may be done is decided by the run's scope. */
export function runRoutes(context: OperationContext, live: Live): AreaRoute[] {
  const parts = { context, live, facts: openFacts(context.database) };
  return [...readRoutes(parts), ...runOperationRoutes(parts), ...stepOperationRoutes(parts)];
}
