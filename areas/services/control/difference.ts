import { type AreaRoute, type Context, defineRoute, readFor } from "@reeve/control";
import { diff, type Json, type JsonObject } from "@reeve/model";
import { type KeptOn, readGeneration, type Sql, type Stored } from "@reeve/store";
import { z } from "zod";
import { type Bundle, readBundle } from "../kinds/bundle.ts";
import type { ServiceSeen } from "../kinds/index.ts";
import { readBundleText } from "../store/index.ts";
import { addressOf, servicePaths } from "./addresses.ts";
import { type Content, contentOf, packContent } from "./content.ts";
import { whereTo } from "./deploy.ts";
import { encryptionOf } from "./encrypted/which.ts";

const version = z.strictObject({ generation: z.number(), revision: z.string().optional() });
const hostDifference = z.strictObject({
  host: z.string(),
  does: z.enum(["begin", "change", "nothing", "remove"]).describe("what a deploy would do there"),
  runs: version.optional().describe("what the host keeps now"),
  files: z
    .array(
      z.strictObject({
        path: z.string(),
        before: z.string().optional(),
        after: z.string().optional(),
        encrypted: z.literal(true).optional().describe("it differs, and what it holds is not shown"),
      }),
    )
    .describe("those that differ, whole"),
  settings: z
    .array(z.strictObject({ pointer: z.string(), before: z.json().optional(), after: z.json().optional() }))
    .describe("what else of the spec differs; secrets by their references"),
  note: z.string().optional().describe("what cannot be told"),
});
const answer = z.strictObject({ brings: version, hosts: z.array(hostDifference) });

type ServiceDifference = z.infer<typeof answer>;
type HostDifference = ServiceDifference["hosts"][number];

/** What a deploy would change, host by host: against what each host keeps, not against what was recorded last. */
export function differenceRoutes(context: Context): AreaRoute[] {
  return servicePaths.map((path) =>
    defineRoute({
      method: "GET",
      path: `${path}/difference`,
      tag: "Services",
      summary: "What a deploy would change on each host",
      description:
        "For whoever may read the service. Compares what a deploy would bring now with what each host keeps. Refused with the same reasons as a deploy.",
      demand: "operation",
      answer,
      async run({ params, ...request }) {
        const service = await readFor(context, request, addressOf(params), "read");
        return { body: (await differenceOf(context.database, service)) as never };
      },
    }),
  );
}

async function differenceOf(sql: Sql, service: Stored): Promise<ServiceDifference> {
  const content = await contentOf(sql, service);
  const { hosts, leaves, kept } = await whereTo(sql, service);
  const seen = new Map(kept.map((one) => [one.agent, one]));
  const changes = hosts.map(({ uid, name }) => changeOn(sql, service, content, name, seen.get(uid)));
  const removed = leaves.map(({ name }) => ({
    host: name,
    does: "remove" as const,
    files: [],
    settings: [],
  }));
  return {
    brings: versionOf(service.metadata.generation, content.revision),
    hosts: [...(await Promise.all(changes)), ...removed],
  };
}

async function changeOn(
  sql: Sql,
  service: Stored,
  content: Content,
  host: string,
  kept: KeptOn | undefined,
): Promise<HostDifference> {
  const seen = (kept?.seen ?? undefined) as (ServiceSeen & { generation?: number }) | undefined;
  if (seen?.generation === undefined || seen.bundle === undefined)
    return { host, does: "begin", files: filesBetween({}, content.files), settings: [] };
  const runs = versionOf(seen.generation, seen.revision);
  const old = await readGeneration(sql, service.metadata.uid, seen.generation);
  const settings =
    old === undefined ? [] : diff(settingsOf(old.spec), settingsOf(service.spec)).map((one) => ({ ...one }));
  const same = packContent(content).digest === seen.bundle;
  const text = same ? undefined : await readBundleText(sql, seen.bundle);
  const files = text === undefined ? [] : filesBetween(readBundle(text), content.files);
  const untold = [
    ...(old === undefined ? [`generation ${seen.generation} is not in the history any more`] : []),
    ...(!same && text === undefined
      ? ["its files differ, and those that it runs are not kept here any more"]
      : []),
  ];
  return {
    host,
    does: same && settings.length === 0 && old !== undefined ? "nothing" : "change",
    runs,
    files,
    settings,
    ...(untold.length > 0 && { note: untold.join("; ") }),
  };
}

function versionOf(generation: number, revision: string | undefined) {
  return { generation, ...(revision === undefined ? {} : { revision }) };
}

function filesBetween(before: Bundle, after: Bundle): HostDifference["files"] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ path, ...changeOf(path, before[path], after[path]) }));
}

function changeOf(path: string, before: string | undefined, after: string | undefined) {
  if ([before, after].some((text) => text !== undefined && encryptionOf(path, text) !== undefined))
    return { encrypted: true as const };
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

/** Files are compared as what they hold, and where it runs shows in the hosts. */
function settingsOf(spec: JsonObject): Json {
  const { files: _files, source: _source, hosts: _hosts, rollout: _rollout, ...rest } = spec;
  return rest;
}
