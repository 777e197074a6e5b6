import { type AreaRoute, type Context, defineRoute } from "@reeve/control";
import { allows, type Caller, contains, Fault, grantedScopes, type Scope, scopeText } from "@reeve/model";
import { readByUid } from "@reeve/store";
import { z } from "zod";
import { countBackfill, listSchedules, readBackfill } from "../../store/index.ts";

const permission = "workflows:read";
const most = 1000;

const shownSchedule = z.strictObject({
  scope: z.string(),
  workflow: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  catchUp: z.string(),
  paused: z.boolean().describe("Itself or its workflow: it has no next tick."),
  nextAt: z.string().nullable(),
  lastAt: z.string().nullable().describe("The last tick that was fired."),
  lastRun: z.string().nullable(),
  trouble: z.string().describe("Why the last tick could not be fired."),
});

const shownBackfill = z.strictObject({
  id: z.string(),
  scope: z.string(),
  workflow: z.string(),
  schedule: z.string(),
  from: z.string(),
  until: z.string(),
  ticks: z.number(),
  by: z.string(),
  at: z.string(),
  states: z.record(z.string(), z.number()).describe("How many of its runs are in which state."),
});

/** What the schedules of all workflows are about to do, and how backfills go. */
export function scheduleRoutes(context: Context): readonly AreaRoute[] {
  return [
    defineRoute({
      method: "GET",
      path: "/schedules",
      summary: "List schedules with their next and last tick",
      demand: "signed-in",
      query: z.strictObject({
        scope: scopeText.optional().describe("with everything below it; all that you may see when left out"),
      }),
      answer: z.strictObject({ items: z.array(shownSchedule), more: z.boolean() }),
      async run({ caller, query }) {
        const found = [];
        for (const scope of scopesHeld(caller as Caller, query.scope ?? ""))
          found.push(...(await listSchedules(context.database, scope, most + 1)));
        const items = found.slice(0, most).map(({ spec, workflowName, workflow: _, ...row }) => ({
          ...{ scope: row.scope, workflow: workflowName, name: row.name },
          ...{ cron: spec.cron, timezone: spec.timezone, catchUp: spec.catchUp, paused: row.nextAt === null },
          ...{ nextAt: row.nextAt, lastAt: row.lastAt, lastRun: row.lastRun, trouble: row.trouble },
        }));
        return { body: { items, more: found.length > most } };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/backfills/:id",
      summary: "Show how far a backfill is",
      demand: "signed-in",
      answer: shownBackfill,
      async run({ caller, params }) {
        const row = z.uuid().safeParse(params.id).success
          ? await readBackfill(context.database, params.id as string)
          : undefined;
        const workflow = row && (await readByUid(context.database, row.workflow));
        if (
          row === undefined ||
          workflow === undefined ||
          !allows((caller as Caller).grants, permission, workflow.metadata.scope)
        )
          throw new Fault("not_found", "there is no such backfill", {
            next: "check the id; it is kept for 90 days",
          });
        const { scope, name } = workflow.metadata;
        return {
          body: { ...row, scope, workflow: name, states: await countBackfill(context.database, row.id) },
        };
      },
    }),
  ];
}

/** The scopes at or below the one asked for in which the caller may read workflows; none lies within another. */
function scopesHeld({ grants }: Caller, scope: Scope): Scope[] {
  if (allows(grants, permission, scope)) return [scope];
  const held = grantedScopes(grants, permission).filter((one) => contains(scope, one));
  return held.filter((one) => !held.some((other) => other !== one && contains(other, one)));
}
