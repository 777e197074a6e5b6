import type { Context } from "../context.ts";
import { watchManyRoute } from "../doors/rest/watch-many.ts";
import type { AreaRoute } from "../route.ts";
import { openFacts } from "./facts.ts";
import type { Live } from "./live.ts";
import { runOperationRoutes, stepOperationRoutes } from "./operation-routes.ts";
import { readRoutes } from "./read-routes.ts";

/** Runs as people see and steer them. What may be done is decided by the run's scope. */
export function runRoutes(context: Context, live: Live): AreaRoute[] {
  const parts = { context, live, facts: openFacts(context) };
  return [
    watchManyRoute(parts),
    ...readRoutes(parts),
    ...runOperationRoutes(parts),
    ...stepOperationRoutes(parts),
  ];
}
