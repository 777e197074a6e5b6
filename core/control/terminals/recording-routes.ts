import { allows, castType, Fault } from "@reeve/model";
import { listRecordings, type Recording, readRecording } from "@reeve/store";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Reader } from "../operations/get.ts";
import { heldScopes } from "../operations/held-scopes.ts";
import { refuse } from "../operations/mutate.ts";
import { record } from "../operations/record.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { scopeQuery } from "../runs/query.ts";
import { readCastBytes } from "./recorder.ts";

const permission = "terminals:replay";
const page = 50;

const query = z.strictObject({
  scope: scopeQuery.optional(),
  kind: z.string().max(100).optional().describe("Service or Host"),
  name: z.string().max(100).optional(),
  subject: z.string().max(300).optional().describe("who opened the terminal: user:ada"),
  continue: z.uuid().optional().describe("goes on after this one, as the page before says"),
});

const shown = z.strictObject({
  id: z.string(),
  ...{ scope: z.string(), kind: z.string(), name: z.string() },
  verb: z.string().describe("exec or shell"),
  host: z.string(),
  subject: z.string().describe("who opened the terminal"),
  detail: z.record(z.string(), z.unknown()).describe("what was asked for: command, container"),
  at: z.string(),
  endedAt: z.string().optional().describe("absent while it goes on, and when the server was lost meanwhile"),
  sha256: z
    .string()
    .optional()
    .describe("of the recording, as the audit has it too; absent when some could not be written"),
  bytes: z.number(),
});

/** What terminals have shown, where it was recorded. Needs `terminals:replay` in the scope of what the terminal was of. */
export function recordingRoutes(context: Context): AreaRoute[] {
  const { database } = context;

  /** What may not be replayed does not exist; who tried is in the audit. */
  async function find(reader: Reader, id: string): Promise<Recording> {
    const found = z.uuid().safeParse(id).success ? await readRecording(database, id) : undefined;
    const fault = new Fault("not_found", `there is no recording ${id.slice(0, 100)}`, {
      next: "`reeve recordings` lists those there are",
    });
    if (found === undefined) throw fault;
    if (allows(reader.caller?.grants ?? [], permission, found.scope)) return found;
    const { kind, scope, name } = found;
    return refuse(context, reader, "replay", { kind, scope, name }, fault);
  }

  return [
    defineRoute({
      ...common,
      path: "/recordings",
      summary: "List recordings of terminals",
      description: "Needs `terminals:replay`. The newest first.",
      query,
      answer: z.strictObject({ items: z.array(shown), continue: z.string().optional() }),
      async run({ query: { scope, continue: before, ...filter }, ...request }) {
        const scopes = await heldScopes(context, request, {
          ...{ operation: "list", permission, kind: "Recording", scope },
        });
        const found = await listRecordings(database, { ...filter, scopes, before }, page + 1);
        const items = found.slice(0, page);
        const more = found.length > page ? { continue: items.at(-1)?.id as string } : {};
        return { body: { items: items.map(show), ...more } as never };
      },
    }),
    defineRoute({
      ...common,
      path: "/recordings/:id",
      summary: "Read what is known of a recording",
      description: "Needs `terminals:replay` in its scope.",
      answer: shown,
      async run({ params: { id = "" }, ...request }) {
        return { body: show(await find(request, id)) as never };
      },
    }),
    defineRoute({
      ...common,
      path: "/recordings/:id/cast",
      summary: "Download a recording",
      description:
        "Needs `terminals:replay` in its scope, and leaves an audit record. The format is asciicast v2, which other players know too; what was typed is not in it.",
      sends: [castType],
      async run({ params: { id = "" }, caller, origin, ...request }) {
        const { kind, scope, name } = await find({ ...request, caller, origin }, id);
        const deed = { kind, scope, name, operation: "replay", detail: { recording: id } };
        await record(context, { caller, origin }, deed, async () => {});
        return {
          bytes: { type: castType, name: `terminal-${id}.cast`, chunks: readCastBytes(database, id) },
        };
      },
    }),
  ];
}

const common = { method: "GET", tag: "Recordings", demand: "operation" } as const;

function show({ endedAt, digest, ...recording }: Recording): z.infer<typeof shown> {
  return { ...recording, ...(endedAt && { endedAt }), ...(digest && { sha256: digest }) };
}
