import { invalidField, logStreams } from "@reeve/model";
import { readLoggedAttempts } from "@reeve/store/logs";
import { z } from "zod";
import type { Context } from "../context.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { findRun } from "../runs/find.ts";
import { common, seqOf } from "../runs/parts.ts";
import { whole } from "../runs/query.ts";
import { followLog } from "./follow.ts";
import { lostSources } from "./lost.ts";
import { readLog } from "./read.ts";
import { openSources } from "./sources.ts";
import { logArchive } from "./tar.ts";
import { namedLines, plainText, rawBytes } from "./text.ts";
import { logViewRoutes } from "./view-routes.ts";

const time = z.iso.datetime({ offset: true, error: "write a time such as 2026-01-31T12:00:00Z" });
const stream = z.enum(logStreams, { error: "write stdout or stderr" });
const follow = z
  .enum(["true", "false", ""], { error: "write true or false" })
  .transform((text) => text !== "false")
  .describe("a stream of what is there and what comes");
const part = {
  stream: stream.optional().describe("both, in the order of their arrival, when left out"),
  since: time.optional().describe("what came at this time or later"),
  follow: follow.optional(),
};

const runQuery = z.strictObject({
  ...part,
  format: z.enum(["text", "tar"], { error: "write text or tar" }).optional(),
});
const stepQuery = z.strictObject({
  ...part,
  attempt: whole(1, 1_000_000).optional().describe("the latest when left out; a stream tells of all"),
  offset: whole(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("from this byte of the stream on; with `stream` only"),
  format: z.enum(["text", "raw"], { error: "write text or raw" }).optional(),
});
const events =
  "With `follow=true` the answer is a stream of events, from any replica: `piece` carries bytes as `text`, or as `base64` when they are not UTF-8; `gap` tells of bytes that are missing, and why; `ended` that a stream is complete, with its SHA-256; `note` what else there is to know, such as a lost agent; `done` comes last. A reader that was cut off sends the id of the last event it has as `Last-Event-ID`.";

/** Output of runs. Needs `runs:logs` in the run's scope. */
export function logRoutes(context: Context): AreaRoute[] {
  const { database } = context;
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/logs",
      summary: "Read, follow or download the output of a run",
      description: `Needs \`runs:logs\` in the run's scope. Every line begins with the name of its step; with \`format=tar\` it is an archive with a file for each stream of each attempt. ${events}`,
      query: runQuery,
      sends: ["text/plain", "application/x-tar"],
      streams: true,
      async run({ query, params: { id = "" }, lastEventId, ...request }) {
        const read = await findRun(context, request, id, "logs", "logs");
        const asked = { run: read.run.id, stream: query.stream, since: query.since };
        if (query.follow) return { events: followLog(context, request, read, asked, placeOf(lastEventId)) };
        if (query.format === "tar")
          return {
            bytes: {
              type: "application/x-tar",
              name: `run-${read.run.id.slice(-8)}.tar`,
              chunks: logArchive(context.logs.places, read.run.id, read.graph),
            },
          };
        const sources = openSources(database, read.run.id, read.graph);
        const log = readLog(context.logs.places, sources, asked);
        const lost = () => lostSources(sources, read.graph, asked);
        return { bytes: { type: plain, chunks: namedLines(log, lost) } };
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/runs/:id/steps/:seq/logs",
      summary: "Read or follow the output of a step",
      description: `Needs \`runs:logs\` in the run's scope. As text, with a line where bytes are missing; with \`format=raw\` exactly the bytes there are. ${events}`,
      query: stepQuery,
      sends: ["text/plain", "application/octet-stream"],
      streams: true,
      async run({ query, params: { id = "", seq: word = "" }, lastEventId, ...request }) {
        const read = await findRun(context, request, id, "logs", "logs");
        const seq = seqOf(word);
        const { attempt, stream, offset, since } = query;
        if (offset !== undefined && stream === undefined)
          throw invalidField(
            "?offset",
            "an offset is one of a stream: say which with ?stream=stdout or stderr",
          );
        const attempts = await readLoggedAttempts(database, read.run.id, seq);
        const named = attempts.findLast((one) => attempt === undefined || one.attempt === attempt);
        const all = query.follow === true && attempt === undefined && offset === undefined;
        const asked = {
          run: read.run.id,
          seq,
          stream,
          offset,
          since,
          ...(all ? {} : { epoch: named?.epoch ?? -1 }),
        };
        if (query.follow) return { events: followLog(context, request, read, asked, placeOf(lastEventId)) };
        const sources = openSources(database, read.run.id, read.graph, seq);
        const log = readLog(context.logs.places, sources, asked);
        const lost = () => lostSources(sources, read.graph, asked);
        return {
          bytes:
            query.format === "raw"
              ? { type: raw, chunks: rawBytes(log) }
              : { type: plain, chunks: plainText(log, lost) },
        };
      },
    }),
    ...logViewRoutes(context),
  ];
}

const plain = "text/plain; charset=utf-8";
const raw = "application/octet-stream";

function placeOf(lastEventId: string | undefined): number {
  if (lastEventId === undefined) return 0;
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw invalidField("Last-Event-ID", "this is not the id of an event of a log");
}
