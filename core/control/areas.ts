import { Fault, type Registry } from "@reeve/model";
import type { RunHooks } from "@reeve/runs";
import type { ControlArea, Controller } from "./controller.ts";

/** What areas bring, gathered; a mistake in one of them stops the start. */

/** The engine is opened before the areas that answer it; what none of them answers cannot be. */
export function allHooks(found: Partial<RunHooks>): RunHooks {
  return {
    secrets: async (scope, value) => found.secrets?.(scope, value) ?? { value, hide: [] },
    draft(scope, named) {
      if (found.draft === undefined)
        throw new Fault("precondition", `nothing here makes runs of the kind ${named.kind}`);
      return found.draft(scope, named);
    },
    make(wanted) {
      // The engine may look at what waits before everything is there that makes it.
      if (found.make === undefined) throw new Fault("unavailable", "the server is still starting");
      return found.make(wanted);
    },
    admitted: async (sql, drafts) => found.admitted?.(sql, drafts),
    ended: async (sql, runs) => found.ended?.(sql, runs),
  };
}

/** Each kind has at most one controller, and each controller a kind: anything else is a mistake in an area. */
export function controllersOf(areas: readonly ControlArea[], registry: Registry): Map<string, Controller> {
  const controllers = new Map<string, Controller>();
  for (const controller of areas.flatMap((area) => area.controllers)) {
    const kind = registry.byName(controller.kind);
    if (controllers.has(controller.kind)) throw new Error(`two controllers for the kind ${controller.kind}`);
    controllers.set(controller.kind, controller);
    for (const action of Object.keys(controller.actions ?? {}))
      if (kind.actions?.[action] === undefined)
        throw new Error(
          `the controller of ${kind.name} handles the action ${action}, which the kind does not declare`,
        );
  }
  for (const kind of registry.kinds)
    for (const action of Object.keys(kind.actions ?? {}))
      if (controllers.get(kind.name)?.actions?.[action] === undefined)
        throw new Error(`nobody handles the action ${action} of the kind ${kind.name}`);
  return controllers;
}

/** What exactly one area knows. */
export function theOne<Part extends "identity" | "enrolment">(
  areas: readonly ControlArea[],
  part: Part,
): NonNullable<ControlArea[Part]> {
  const [found, ...more] = areas.flatMap((area) => area[part] ?? []);
  if (found === undefined || more.length > 0)
    throw new Error(`exactly one area must know the ${part}, found ${found ? 1 + more.length : 0}`);
  return found;
}
