import { invalidField, type LogLine, type LogMatch, type LogPage, logStreams } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { readLoggedAttempts } from "@reeve/store/logs";
import { z } from "zod";
import type { Context } from "../context.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { findRun } from "../runs/find.ts";
import { answered, common } from "../runs/parts.ts";
import { whole } from "../runs/query.ts";
import { type IndexEnd, indexLog } from "./index-pages.ts";
import { readLines } from "./lines.ts";
import type { LogQuery } from "./read.ts";
import { searchLog, type Wanted } from "./search.ts";
import { openSources } from "./sources.ts";

const time = z.iso.datetime({ offset: true, error: "write a time such as 2026-01-31T12:00:00Z" });
const stream = z.enum(logStreams, { error: "write stdout or stderr" });
const flag = z
  .enum(["true", "false", ""], { error: "write true or false" })
  .transform((text) => text !== "false");
const number = whole(0, Number.MAX_SAFE_INTEGER);
const part = {
  step: number.optional().describe("only of the step with this seq"),
  attempt: whole(1, 1_000_000).optional().describe("with `step` only; all of them when left out"),
  stream: stream.optional(),
};
const indexQuery = z.strictObject(part);
const linesQuery = z.strictObject({
  ...part,
  after: number.describe("as the page says"),
  to: number.describe("as the page says"),
  open: z
    .string()
    .regex(/^\d{1,15}\.\d{1,15}\.std(out|err)(,\d{1,15}\.\d{1,15}\.std(out|err))*$/, {
      error: "write what the page says, with commas",
    })
    .optional()
    .describe("as the page says, with commas"),
  skip: number.optional().describe("lines of the page to leave out"),
  limit: whole(1, 1000).optional().describe("1 to 1000; 1000 when left out"),
});
const line = z
  .object({
    seq: z.number(),
    step: z.string(),
    attempt: z.number(),
    stream,
    offset: z.number(),
    at: z.iso.datetime().describe("when its beginning came"),
    text: z.string(),
    cut: z.literal(true).optional().describe("there is more of it than is shown"),
    gap: z.number().optional().describe("so many bytes are missing; the text says why"),
  } satisfies Record<keyof LogLine, z.ZodType>)
  .meta({ title: "LogLine" });
const searchQuery = z.strictObject({
  ...part,
  q: z.string().min(1).max(200).optional().describe("the text, as it stands in a line"),
  case: z
    .enum(["ignore"], { error: "write ignore, or leave it out" })
    .optional()
    .describe("find `error` in `Error`, and across a change of colour"),
  errors: flag.optional().describe("lines that look like errors, instead of those with a text"),
  since: time.optional().describe("what came at this time or later"),
  limit: whole(1, 1000).optional().describe("1 to 1000; 100 when left out"),
  continue: z
    .string()
    .regex(/^\d{1,15}\.\d{1,15}$/, { error: "this is not a token of a page before; begin again without it" })
    .optional(),
});
const match = z
  .object({
    seq: z.number(),
    step: z.string(),
    attempt: z.number(),
    stream,
    chunk: z.number().describe("the chunk in which it begins"),
    offset: z.number().describe("where the line begins"),
    line: z.string(),
  } satisfies Record<keyof LogMatch, z.ZodType>)
  .meta({ title: "LogMatch" });

/** Output of runs for viewers, which cannot hold all of it. Needs `runs:logs` in the run's scope. */
export function logViewRoutes(context: Context): AreaRoute[] {
  const { database } = context;
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/logs/index",
      summary: "How many lines the output of a run has, and where",
      description:
        "Needs `runs:logs` in the run's scope. One JSON object a line. Each but the last is a page: some chunks (`after`, `to`) and how many `lines` begin in them; their text comes from `logs/lines`. A line stands where it begins, so its number never changes. The last object is `end`: a log that is followed with `Last-Event-ID` of its `after` goes on there; `open` names the sources whose last line has no end yet.",
      query: indexQuery,
      sends: ["application/x-ndjson"],
      async run({ query, params: { id = "" }, ...request }) {
        const { run, graph } = await findRun(context, request, id, "logs", "logs");
        const asked = await askedOf(database, run.id, query);
        const pages = indexLog(context.logs.places, openSources(database, run.id, graph, query.step), asked);
        return { bytes: { type: "application/x-ndjson", chunks: jsonLines(pages) } };
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/logs/lines",
      summary: "The lines of a page of a log",
      description:
        "Needs `runs:logs` in the run's scope. The page is one of `logs/index`, asked for with the same `step`, `attempt` and `stream`.",
      query: linesQuery,
      answer: z.object({ items: z.array(line) }),
      async run({ query, params: { id = "" }, ...request }) {
        const { run, graph } = await findRun(context, request, id, "logs", "logs");
        const { after, to, open, skip = 0, limit = 1000 } = query;
        const page = { after, to, open: open?.split(",") ?? [], skip, limit };
        const asked = await askedOf(database, run.id, query);
        const sources = openSources(database, run.id, graph, query.step);
        return answered({ items: await readLines(context.logs.places, sources, asked, page) });
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/logs/search",
      summary: "Find lines in the output of a run",
      description:
        "Needs `runs:logs` in the run's scope. A call looks at a bounded part; a page may be short, or empty, and still go on.",
      query: searchQuery,
      answer: z.object({
        items: z.array(match),
        continue: z.string().optional().describe("for the next page"),
      }),
      async run({ query, params: { id = "" }, ...request }) {
        const { run, graph } = await findRun(context, request, id, "logs", "logs");
        const [after = 0, done = 0] = (query.continue ?? "0.0").split(".").map(Number);
        const search = { wanted: wantedOf(query), limit: query.limit ?? 100, from: { after, done } };
        const asked = { ...(await askedOf(database, run.id, query)), since: query.since };
        const { items, next } = await searchLog(
          context.logs.places,
          openSources(database, run.id, graph),
          asked,
          search,
        );
        return answered({ items, ...(next && { continue: `${next.after}.${next.done}` }) });
      },
    }),
  ];
}

type Part = z.infer<typeof indexQuery>;

async function askedOf(sql: Sql, run: string, { step, attempt, stream }: Part): Promise<LogQuery> {
  if (attempt !== undefined && step === undefined)
    throw invalidField("?attempt", "an attempt is one of a step: say which with ?step=");
  const epoch = attempt === undefined ? {} : { epoch: await epochOf(sql, run, step, attempt) };
  return { run, seq: step, stream, ...epoch };
}

/** No attempt has the epoch -1. */
async function epochOf(sql: Sql, run: string, seq: number | undefined, attempt: number): Promise<number> {
  const attempts = await readLoggedAttempts(sql, run, seq);
  return attempts.find((one) => one.attempt === attempt)?.epoch ?? -1;
}

function wantedOf({ q, errors, ...query }: z.infer<typeof searchQuery>): Wanted {
  if (errors) return "errors";
  if (q === undefined) throw invalidField("?q", "say which text to find");
  return { text: q, ignoreCase: query.case === "ignore" };
}

async function* jsonLines(index: AsyncIterable<{ pages: LogPage[]; end?: IndexEnd }>) {
  for await (const { pages, end } of index)
    yield Buffer.from(
      [...pages, ...(end ? [{ end }] : [])].map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
}
