import { invalidField, itemSeqs } from "@reeve/model";
import { latestRuns, readRunRates } from "@reeve/store/runs";
import { z } from "zod";
import { checkScopeThere } from "../operations/list.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { findRun, runScopes } from "./find.ts";
import { followList, followRun } from "./follow.ts";
import { answered, common, type RunRouteParts, seqOf } from "./parts.ts";
import {
  attemptsQuery,
  eventsQuery,
  filterOf,
  getQuery,
  latestQuery,
  listQuery,
  ratesQuery,
  stepsQuery,
} from "./query.ts";
import { readAllPast, readEvents, readPast, readRunNow, readStepPage } from "./read.ts";
import { attemptShape, eventShape, rateShape, resultShape, runShape, stepShape } from "./schemas.ts";
import { listRunsNow } from "./waits.ts";

/** Enough for a chart, and few enough to read. */
const spans = 48;

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), continue: z.string().optional().describe("for the next page") });

/** Runs as people see them. */
export function readRoutes({ context, facts, live }: RunRouteParts): AreaRoute[] {
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs",
      summary: "List or watch runs, newest first",
      description:
        "Needs `runs:read`; shows the runs of the scopes in which you hold it. A page may be short and still go on. With `watch=true` the answer is a stream: `run` carries a run that is new or has changed, `removed` the id of one that no longer fits, `synced` comes when the first page has been told.",
      query: listQuery,
      answer: page(runShape),
      streams: true,
      async run({ query, ...request }) {
        const scopes = await runScopes(context, request, "list", "read", query.scope);
        const filter = filterOf(context.registry, scopes, query);
        const limit = query.limit ?? 100;
        if (query.watch) {
          if (query.continue !== undefined)
            throw invalidField("?continue", "a watch begins with the newest runs");
          return { events: followList(context, live, request, { filter, scope: query.scope, limit }) };
        }
        const { items, next } = await listRunsNow(context.database, filter, query.continue, limit);
        if (items.length === 0 && query.scope !== undefined) await checkScopeThere(context, query.scope);
        return answered({ items, ...(next === undefined ? {} : { continue: next }) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/latest",
      summary: "The newest runs of each of several definitions, in short",
      description:
        "Needs `runs:read`; tells of the runs of the scopes in which you hold it. For lists of definitions that show how their last runs went.",
      query: latestQuery,
      answer: z.object({ items: z.array(resultShape) }),
      async run({ query, ...request }) {
        const scopes = await runScopes(context, request, "list", "read", undefined);
        return answered({ items: await latestRuns(context.database, query.of, scopes, query.each ?? 20) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/rates",
      summary: "How many runs began and ended, waited and ran, over the last hours",
      description: `Needs \`runs:read\`; counts the runs of the scopes in which you hold it. The time is cut into ${spans} spans; \`queued\` and \`running\` are at the end of each. Runs that began more than twice that time ago are not counted.`,
      query: ratesQuery,
      answer: page(rateShape),
      async run({ query, ...request }) {
        const scopes = await runScopes(context, request, "rates", "read", query.scope);
        const asked = { now: Date.now(), hours: query.hours ?? 24, spans };
        return answered({ items: await readRunRates(context.database, scopes, asked) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id",
      summary: "Read or watch a run",
      description:
        "Needs `runs:read` in the run's scope. The id may be shortened to its last 8 or more characters. With `watch=true` the answer is a stream: `run` and `step` carry the run and its steps, at first all of them and then those that have changed; `synced` comes after the first; items of a fan-out of more than 100 are told as counts of their step. The stream ends with the run.",
      query: getQuery,
      answer: runShape,
      streams: true,
      async run({ query, params: { id = "" }, ...request }) {
        const read = await findRun(context, request, id, "get", "read");
        if (query.watch) return { events: followRun(context, live, facts, request, read.run) };
        return answered(await readRunNow(facts, read));
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/steps",
      summary: "The steps of a run, in order",
      description:
        "Needs `runs:read` in the run's scope. Items of fan-outs come after the steps of the graph.",
      query: stepsQuery,
      answer: page(stepShape),
      async run({ query, params: { id = "" }, ...request }) {
        const read = await findRun(context, request, id, "steps", "read");
        const within = seqsOf(query, read.graph.steps.length);
        const after = Math.max(query.continue ?? -1, within.after ?? -1);
        const filter = { ...within, after, states: query.state };
        const { items, next } = await readStepPage(context.database, facts, read, filter, query.limit ?? 200);
        return answered({ items, ...(next === undefined ? {} : { continue: String(next) }) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/attempts",
      summary: "The earlier attempts of all steps of a run, step by step, oldest first",
      description: "Needs `runs:read` in the run's scope. The latest attempt of a step is the step itself.",
      query: attemptsQuery,
      answer: page(attemptShape),
      async run({ query, params: { id = "" }, ...request }) {
        const { run } = await findRun(context, request, id, "attempts", "read");
        const limit = query.limit ?? 200;
        const { items, next } = await readAllPast(context.database, run.id, query.continue, limit);
        return answered({ items, ...(next === undefined ? {} : { continue: next }) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/steps/:seq/attempts",
      summary: "The earlier attempts of a step, newest first",
      description: "Needs `runs:read` in the run's scope. The latest attempt is the step itself.",
      answer: page(attemptShape),
      async run({ params: { id = "", seq = "" }, ...request }) {
        const { run } = await findRun(context, request, id, "attempts", "read");
        return answered({ items: await readPast(context.database, run.id, seqOf(seq), 100) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/events",
      summary: "What happened to a run, oldest first",
      description: "Needs `runs:read` in the run's scope.",
      query: eventsQuery,
      answer: page(eventShape),
      async run({ query, params: { id = "" }, ...request }) {
        const { run } = await findRun(context, request, id, "events", "read");
        const { items, next } = await readEvents(
          context.database,
          run.id,
          query.continue,
          query.limit ?? 200,
        );
        return answered({ items, ...(next === undefined ? {} : { continue: next }) });
      },
    }),
  ];
}

/** The steps that are asked for, as a span of their seqs. */
function seqsOf(
  { seq, parent }: z.infer<typeof stepsQuery>,
  steps: number,
): { after?: number; before?: number } {
  if (seq !== undefined) return { after: seq - 1, before: seq + 1 };
  if (parent === undefined) return {};
  return parent === "none" ? { before: steps } : itemSeqs(parent);
}
