import { type AreaRoute, type Context, defineRoute, readFor, verbRefusal } from "@reeve/control";
import { Fault, invalidField } from "@reeve/model";
import { type KeptOn, readKept, type Stored } from "@reeve/store";
import { z } from "zod";
import { addressOf, servicePaths } from "../addresses.ts";
import { followServiceLog, type LogPlace } from "./follow-log.ts";
import { type HostLine, inOrder, linesFrom } from "./host-lines.ts";

const query = z.strictObject({
  host: z.string().max(100).optional().describe("only on this host"),
  container: z
    .string()
    .max(200)
    .optional()
    .describe("only of this container, or of this service of the Compose file"),
  since: z.iso
    .datetime({ offset: true, error: "write a time such as 2026-01-31T12:00:00Z" })
    .optional()
    .describe("what was said at this time or later"),
  tail: z
    .string()
    .regex(/^\d{1,5}$/, { error: "write a number of lines, up to 99999" })
    .transform(Number)
    .optional()
    .describe("only so many of the last lines of each host"),
  follow: z
    .enum(["true", "false", ""], { error: "write true or false" })
    .transform((text) => text !== "false")
    .optional()
    .describe("a stream of what is there and what comes"),
});

/** What the containers of a service have said: agents collect it, so that it outlives them. */
export function serviceLogRoutes(context: Context): AreaRoute[] {
  return servicePaths.map((path) =>
    defineRoute({
      method: "GET",
      path: `${path}/logs`,
      tag: "Services",
      summary: "Read or follow the logs of a service's containers",
      description:
        "Needs `services:logs`. Each line begins with its container, and its host when there are several. With `follow=true` the answer is a stream of events: `line` has `host`, `container`, `stream`, `at` and `text`; `note` tells of a host that cannot be read. A reader that was cut off sends the id of the last event it has as `Last-Event-ID`.",
      demand: "operation",
      query,
      sends: ["text/plain"],
      streams: true,
      async run({ query: { host, follow, ...lines }, params, lastEventId, ...request }) {
        const at = addressOf(params);
        const service = await readFor(context, request, at, "logs");
        const place: LogPlace = {
          service: service.metadata.uid,
          hosts: await hostsOf(context, service, host),
          look: () => hostsOf(context, service, host),
        };
        const asked = { ...lines, ...(lastEventId === undefined ? {} : { after: timeOf(lastEventId) }) };
        if (!follow)
          return { bytes: { type: "text/plain; charset=utf-8", chunks: textOf(context, place, asked) } };
        const refusal = (caller: typeof request.caller) => verbRefusal(context, caller, at, "logs", service);
        return { events: followServiceLog(context, { ...request, refusal }, place, asked) };
      },
    }),
  );
}

async function hostsOf(
  { database }: Context,
  { metadata }: Stored,
  wanted: string | undefined,
): Promise<KeptOn[]> {
  const kept = await readKept(database, metadata.uid);
  const meant = kept.filter(({ host }) => wanted === undefined || host === wanted);
  if (meant.length > 0) return meant;
  if (kept.length > 0)
    throw invalidField(
      "?host",
      `it is not on ${wanted}; its hosts: ${kept.map(({ host }) => host).join(", ")}`,
    );
  throw new Fault("precondition", `the service ${metadata.name} is on no host`, { next: "deploy it first" });
}

function timeOf(lastEventId: string): string {
  if (/^\d{4}-[\dT:.-]{5,40}Z$/.test(lastEventId)) return lastEventId;
  throw invalidField("Last-Event-ID", "this is not the id of an event of this log");
}

/** A host that cannot be read has a line that says so. */
async function* textOf(
  { tunnels }: Context,
  { service, hosts }: LogPlace,
  asked: object,
): AsyncGenerator<Uint8Array> {
  const opens = { opens: "service-logs", with: JSON.stringify({ service, ...asked }) };
  const notes: string[] = [];
  async function* readHost({ agent, host }: KeptOn): AsyncGenerator<HostLine[]> {
    try {
      yield* linesFrom(host, await tunnels.open(agent, opens));
    } catch (error) {
      notes.push(`${host}: ${(error as Error).message}\n`);
    }
  }
  for await (const lines of inOrder(hosts.map(readHost)))
    yield Buffer.from(lines.map((line) => lineText(line, hosts.length > 1)).join(""));
  if (notes.length > 0) yield Buffer.from(notes.join(""));
}

function lineText({ host, container, text }: HostLine, named: boolean): string {
  return `${named ? `${host} ` : ""}${container} | ${text}\n`;
}
