import { type Caller, Fault, invalidField, readInput, scopeText } from "@reeve/model";
import { z } from "zod";
import { followAudit } from "../../audit/follow.ts";
import { type AreaRoute, defineRoute, type EventOut, eventText, type RouteRequest } from "../../route.ts";
import { findRun, runScopes } from "../../runs/find.ts";
import { followList, followRun } from "../../runs/follow.ts";
import { followAgents, followWork } from "../../runs/follow-agents.ts";
import type { RunRouteParts } from "../../runs/parts.ts";
import { filterOf, listQuery } from "../../runs/query.ts";
import { followUsage } from "../../usage/follow.ts";
import { watch } from "../../watch/watch.ts";
import { problemOf } from "./problem.ts";
import { watchEvents } from "./sse.ts";

const partsMost = 50;
const quietMs = 15_000;

const list = z.strictObject({
  kind: z.string().max(63),
  scope: scopeText.default(""),
  deep: z.boolean().default(false),
  labels: z.string().default(""),
  fields: z.string().default(""),
  since: z.int().min(0).optional(),
});
const word = z.string().max(200).optional();
const time = z.iso.datetime({ offset: true }).optional();
const auditWords = z.strictObject({
  scope: scopeText.optional(),
  since: time,
  until: time,
  subject: word,
  kind: word,
  name: word,
  operation: word,
  outcome: z.enum(["done", "denied"]).optional(),
});
const parts = z
  .array(
    z.union([
      list,
      z.strictObject({
        runs: listQuery.omit({ continue: true, watch: true }),
      }),
      z.strictObject({ run: z.string().max(100) }),
      z.strictObject({ audit: auditWords, limit: z.int().min(1).max(500).default(100) }),
      z.strictObject({ agents: z.strictObject({ scope: scopeText.default("") }) }),
      z.strictObject({ work: z.strictObject({ scope: scopeText.default(""), name: z.string().max(63) }) }),
      z.strictObject({
        usage: z.strictObject({
          kind: z.string().max(63),
          scope: scopeText.default(""),
          name: z.string().max(63),
        }),
      }),
    ]),
  )
  .min(1)
  .max(partsMost);
type Part = z.infer<typeof parts>[number];
type Reader = Pick<RouteRequest<unknown>, "caller" | "credential" | "origin">;

/** Everything that a window shows in one stream: browsers allow six connections to a server, and people open many tabs. */
export function watchManyRoute(inner: RunRouteParts): AreaRoute {
  return defineRoute({
    method: "GET",
    path: "/watch",
    tag: "Watching",
    summary: "Watch several lists and runs in one stream",
    description: `\`on\` is a JSON array of up to ${partsMost} parts: \`{"kind":"Project","scope":"acme","deep":true,"labels":"","fields":"","since":812}\` for a list of resources (all but \`kind\` may be left out), \`{"runs":{"scope":"acme","state":"failed","limit":"50"}}\` for a list of runs, \`{"run":"ID"}\` for a run with its steps, \`{"audit":{"scope":"acme","outcome":"denied"},"limit":100}\` for the newest records of the audit, \`{"agents":{"scope":"acme"}}\` for when the agents of hosts were heard last and how many steps each holds, \`{"work":{"scope":"acme","name":"build-1"}}\` for the steps that a host holds, \`{"usage":{"kind":"Host","scope":"acme","name":"build-1"}}\` for when it was heard last what a host or a service uses. The stream tells of each what its own watch would tell, and every event's data says by \`on\` which part it is about. Of a list of resources, \`revision\` is the place to resume from with \`since\`. Rights are those of each part alone: \`over\` carries the problem of a part that is refused or has ended, and the others go on. A run is followed also after its end, in case it is taken up again. \`rights\` is about no part: your rights may have changed, and what \`/can-i\` has answered is to be asked again.`,
    demand: "operation",
    query: z.strictObject({ on: z.string().max(12_000).describe("the parts, as JSON") }),
    streams: "always",
    async run({ query, ...request }) {
      const wanted = readParts(query.on);
      return { events: (out) => watchMany(inner, request, wanted, out) };
    },
  });
}

function readParts(text: string): Part[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidField("?on", "not JSON");
  }
  return readInput(parts, value);
}

function watchMany(inner: RunRouteParts, reader: Reader, wanted: readonly Part[], out: EventOut): () => void {
  const leaves: (() => void)[] = [];
  let gone = false;
  wanted.forEach((part, on) => {
    const own = partOf(out, on, reader.origin.requestId);
    begin(inner, reader, part, own).then(
      (leave) => {
        if (gone) leave();
        else leaves.push(leave);
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) inner.context.log.error({ err: error }, "a part of a watch failed");
        own.end(error as Fault);
      },
    );
  });
  const quiet = setInterval(() => void out.tell(": here\n\n"), quietMs);
  const leaveHub = tellRights(inner.context, reader, out);
  return () => {
    gone = true;
    clearInterval(quiet);
    leaveHub();
    for (const leave of leaves) leave();
  };
}

/** Tells when the reader holds other roles than before: the parts say so only where that changes what they show. */
function tellRights({ identity, hub }: RunRouteParts["context"], reader: Reader, out: EventOut): () => void {
  const { caller, credential } = reader;
  let held = textOf(caller);
  async function recheck(): Promise<void> {
    const now = textOf(credential && (await identity.identify(credential)));
    if (now !== held) void out.tell(eventText("rights", {}));
    held = now;
  }
  return hub.attend({
    subjectUid: caller?.subject.uid ?? "",
    // During an outage nobody is told; what they do is judged anyway.
    recheck: () => void recheck().catch(() => {}),
    close() {},
  });
}

/** What a caller may, as a text: two are the same when they may the same. */
function textOf(caller: Caller | undefined): string {
  return (
    JSON.stringify(caller?.grants, (_key, value) => (value instanceof Set ? [...value].sort() : value)) ?? ""
  );
}

async function begin(
  { context, facts, live }: RunRouteParts,
  reader: Reader,
  part: Part,
  out: EventOut,
): Promise<() => void> {
  if ("run" in part) {
    const { run } = await findRun(context, reader, part.run, "get", "read");
    return followRun(context, live, facts, reader, run, { stays: true })(out);
  }
  if ("runs" in part) {
    const { scope, limit = 100 } = part.runs;
    const scopes = await runScopes(context, reader, "list", "read", scope);
    const filter = filterOf(context.registry, scopes, part.runs);
    return followList(context, live, reader, { filter, scope, limit })(out);
  }
  if ("audit" in part) return (await followAudit(context, live, reader, part.audit, part.limit))(out);
  if ("agents" in part) return (await followAgents(context, live, reader, part.agents.scope))(out);
  if ("work" in part) return (await followWork(context, live, reader, part.work))(out);
  const { kind } = "usage" in part ? part.usage : part;
  if (!context.registry.kinds.some(({ name }) => name === kind))
    throw invalidField("/kind", "there is no such kind", "GET /api/v1/kinds lists them");
  if ("usage" in part) return (await followUsage(context, live, reader, part.usage))(out);
  const { since, ...request } = part;
  const sink = watchEvents(out);
  return watch(context, reader, { ...request, ...(since === undefined ? {} : { since }) }, sink);
}

const dataStart = /^(?:id: (\d+)\n)?data: \{("revision":\d+)?(\}?)/gm;

/** A stream within the stream: its events say which part they are about. */
function partOf(out: EventOut, on: number, requestId: string): EventOut {
  let over = false;
  return {
    tell(text) {
      if (over) return undefined;
      const tagged = String(text).replaceAll(
        dataStart,
        (_, id?: string, revision?: string, empty?: string) => {
          const place = revision ?? (id === undefined ? undefined : `"revision":${id}`);
          return `data: {"on":${on}${place === undefined ? "" : `,${place}`}${empty ? "}" : ","}`;
        },
      );
      return out.tell(tagged);
    },
    end(fault) {
      if (over) return;
      over = true;
      const problem = fault === undefined ? null : problemOf(fault, requestId).body;
      void out.tell(eventText("over", { on, ...(problem && { problem }) }));
    },
  };
}
