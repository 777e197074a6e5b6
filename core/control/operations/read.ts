import {
  diff,
  Fault,
  invalidField,
  type Json,
  type Look,
  matches,
  parseFieldSelector,
  parseLabelSelector,
  readManifest,
  type Resource,
  type ResourceEvent,
  type Scope,
  type Term,
} from "@reeve/model";
import {
  type Address,
  countDependents,
  type Generation,
  listEvents,
  listGenerations,
  listResources,
  readLook,
  readResource,
  type Stored,
  shown,
  type Visible,
} from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { listVisibility, notFound, readRefusal, rightsScope } from "../guard/authorise.ts";
import { applying } from "./apply.ts";
import { mutate, refuse } from "./mutate.ts";

type Reader = Pick<Asking, "caller" | "origin">;

export async function get(context: Context, reader: Reader, at: Address): Promise<Resource> {
  return shown(await readable(context, reader, at, "get"));
}

/** The resource if the caller may read it; a refusal is recorded. */
async function readable(context: Context, reader: Reader, at: Address, operation: string): Promise<Stored> {
  const resource = await readResource(context.database, at);
  const what = { kind: context.registry.byName(at.kind), at, controller: context.controllers.get(at.kind), resource };
  const fault = readRefusal(reader.caller, what);
  if (fault !== undefined) return refuse(context, reader, operation, at, fault);
  if (resource === undefined) throw notFound(at);
  return resource;
}

export interface ListRequest {
  readonly kind: string;
  readonly scope: Scope;
  readonly deep: boolean;
  readonly labels: string;
  readonly fields: string;
}

export interface Page {
  readonly items: readonly Resource[];
  readonly revision: number;
  readonly continue?: string;
}

export interface Selection extends ListRequest {
  readonly visible: Visible;
  readonly labelTerms: readonly Term[];
  readonly fieldTerms: readonly Term[];
}

export async function list(context: Context, reader: Reader, request: ListRequest, limit: number, token: string | undefined): Promise<Page> {
  const selection = await select(context, reader, request);
  const from = token === undefined ? undefined : readContinue(token);
  const { items, revision } = await listResources(context.database, {
    kind: request.kind,
    opensScope: context.registry.byName(request.kind).opensScope === true,
    scope: request.scope,
    deep: request.deep,
    visible: selection.visible,
    labels: selection.labelTerms,
    fields: selection.fieldTerms,
    ...(from ? { after: { scope: from.s, name: from.n } } : {}),
    limit: limit + 1,
  });
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const first = from?.r ?? revision;
  return {
    items: page.map(shown),
    revision: first,
    ...(items.length > limit && last ? { continue: writeContinue({ r: first, s: last.metadata.scope, n: last.metadata.name }) } : {}),
  };
}

/** Reads the selectors and what the caller may see; the same for a list and for a watch. */
export async function select(context: Context, reader: Reader, request: ListRequest): Promise<Selection> {
  const kind = context.registry.byName(request.kind);
  const labelTerms = parseLabelSelector(request.labels);
  const fieldTerms = parseFieldSelector(request.fields, kind.fields ?? []);
  try {
    const { visible, mine } = listVisibility(reader.caller, kind, request.scope, request.deep, context.controllers.get(kind.name));
    const own = mine && reader.caller ? (context.controllers.get(kind.name)?.mine?.terms(reader.caller.subject) ?? []) : [];
    return { ...request, visible, labelTerms, fieldTerms: [...fieldTerms, ...own] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refuse(context, reader, "list", { kind: kind.name, scope: request.scope, name: "" }, error);
  }
}

interface ContinueToken {
  /** The revision of the first page. */
  readonly r: number;
  readonly s: string;
  readonly n: string;
}

export function writeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function readContinue(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, "base64url").toString()) as ContinueToken;
    if (Number.isSafeInteger(token.r) && typeof token.s === "string" && typeof token.n === "string" && !`${token.s}${token.n}`.includes("\0")) return token;
  } catch {
    // Falls through to the one answer for every unreadable token.
  }
  throw invalidField("continue", "this is not a token of a page before", "begin again without it");
}

export interface Difference {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly changes: ReturnType<typeof diff>;
  readonly before?: Resource;
  readonly after: Resource;
}

/** What applying this manifest would change; everything that apply would refuse is refused here too. */
export async function difference(context: Context, asking: Asking, input: unknown): Promise<Difference> {
  const { manifest, kind } = readManifest(input, context.registry);
  const at = { kind: kind.name, scope: manifest.metadata.scope, name: manifest.metadata.name };
  const before = await readResource(context.database, at);
  const written = await mutate(context, { ...asking, dryRun: true }, applying(context, asking, kind, manifest, "diff"));
  const after = written.resource as Resource;
  const outcome = written.outcome as Difference["outcome"];
  const changes = outcome === "unchanged" ? [] : diff(before && wanted(shown(before)), wanted(after));
  return { outcome, changes, ...(before ? { before: shown(before) } : {}), after };
}

/** The part of a resource that people decide on. */
function wanted({ metadata, spec }: Resource): Json {
  const { labels, annotations, finalizers, owner, paused } = metadata;
  return { metadata: { labels, annotations, finalizers, ...(owner ? { owner } : {}), ...(paused ? { paused } : {}) }, spec } as unknown as Json;
}

export async function history(context: Context, reader: Reader, at: Address, before: number | undefined, limit: number): Promise<Generation[]> {
  const resource = await readable(context, reader, at, "history");
  return listGenerations(context.database, resource.metadata.uid, before ?? Number.MAX_SAFE_INTEGER, limit);
}

export async function events(context: Context, reader: Reader, at: Address, limit: number): Promise<ResourceEvent[]> {
  const resource = await readable(context, reader, at, "events");
  return listEvents(context.database, resource.metadata.uid, limit);
}

export interface Why {
  readonly look: Look | null;
  /** What keeps a resource that is being deleted. */
  readonly holds: readonly { readonly what: string; readonly count: number; readonly why: string }[];
}

export async function why(context: Context, reader: Reader, at: Address): Promise<Why> {
  const resource = await readable(context, reader, at, "why");
  const look = (await readLook(context.database, resource.metadata.uid)) ?? null;
  if (resource.metadata.deletingAt === undefined) return { look, holds: [] };
  const kind = context.registry.byName(at.kind);
  const held = await countDependents(context.database, resource.metadata.uid, kind.opensScope ? rightsScope(kind, at) : undefined);
  const finalizers = resource.metadata.finalizers.filter((one) => one !== "reeve/contents");
  return {
    look,
    holds: [
      ...held.map(({ kind: what, count }) => ({ what, count, why: "belongs to it and goes first" })),
      ...finalizers.map((what) => ({ what, count: 1, why: "this finalizer has not been removed yet" })),
    ],
  };
}

/** Whether a resource is in a selection: the same rule as the SQL of a list, for changes that are watched. */
export function inSelection(selection: Selection, labels: Record<string, string>, fields: Record<string, string>): boolean {
  return matches(selection.labelTerms, labels) && matches(selection.fieldTerms, fields);
}

