import {
  allows,
  type Caller,
  type Fault,
  type Look,
  permissionOf,
  type Resource,
  type ResourceEvent,
} from "@reeve/model";
import {
  type Address,
  type Belonging,
  countDependents,
  type Generation,
  type Held,
  listDependents,
  listEvents,
  listGenerations,
  readLook,
  readResource,
  type Stored,
  shown,
} from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import type { Use } from "../controller.ts";
import { notFound, readRefusal, refusal, rightsScope } from "../guard/authorise.ts";
import { refuse } from "./mutate.ts";
import { usesOf } from "./uses.ts";

export type Reader = Pick<Asking, "caller" | "origin">;

export async function get(context: Context, reader: Reader, at: Address): Promise<Resource> {
  return shown(await readable(context, reader, at, "get"));
}

/** The resource if the caller may read it; a refusal is recorded. */
async function readable(context: Context, reader: Reader, at: Address, operation: string): Promise<Stored> {
  const resource = await readResource(context.database, at);
  const what = {
    kind: context.registry.byName(at.kind),
    at,
    controller: context.controllers.get(at.kind),
    resource,
  };
  const fault = readRefusal(reader.caller, what);
  if (fault !== undefined) return refuse(context, reader, operation, at, fault);
  if (resource === undefined) throw notFound(at);
  return resource;
}

/** The resource if the caller may do this to it, for what reads more than the resource itself; a refusal is recorded. */
export async function readFor(context: Context, reader: Reader, at: Address, verb: string): Promise<Stored> {
  const resource = await readResource(context.database, at);
  const fault = verbRefusal(context, reader.caller, at, verb, resource);
  if (fault !== undefined) return refuse(context, reader, verb, at, fault);
  if (resource === undefined) throw notFound(at);
  return resource;
}

/** The same question again, for what goes on. */
export function verbRefusal(
  context: Pick<Context, "registry" | "controllers">,
  caller: Caller | undefined,
  at: Address,
  verb: string,
  resource: Stored | undefined,
): Fault | undefined {
  const kind = context.registry.byName(at.kind);
  return refusal(caller, { kind, verb, at, controller: context.controllers.get(at.kind), resource });
}

export async function history(
  context: Context,
  reader: Reader,
  at: Address,
  before: number | undefined,
  limit: number,
): Promise<Generation[]> {
  const resource = await readable(context, reader, at, "history");
  return listGenerations(context.database, resource.metadata.uid, before ?? Number.MAX_SAFE_INTEGER, limit);
}

export async function events(
  context: Context,
  reader: Reader,
  at: Address,
  limit: number,
): Promise<ResourceEvent[]> {
  const resource = await readable(context, reader, at, "events");
  return listEvents(context.database, resource.metadata.uid, limit);
}

export interface Why {
  readonly look: Look | null;
  /** What keeps a resource that is being deleted. */
  readonly holds: readonly ({ readonly count: number; readonly why: string } & (
    | { readonly kind: string }
    | { readonly finalizer: string }
  ))[];
  /** What cannot do without it, as far as the caller may read that. */
  readonly usedBy: readonly Use[];
  /** What belongs to it, as far as the caller may read that: the first hundred. */
  readonly owned: readonly Address[];
  /** What a deletion would take with it: how many of which kinds, of those that the caller may read. */
  readonly goesWith: readonly Held[];
}

const ownedShown = 100;

export async function why(context: Context, reader: Reader, at: Address): Promise<Why> {
  const resource = await readable(context, reader, at, "why");
  const look = (await readLook(context.database, resource.metadata.uid)) ?? null;
  const { shown: usedBy } = await usesOf(context, reader, resource, context.database);
  const owned = await ownedBy(context, reader, resource);
  const held = await countDependents(context.database, belongingTo(context, resource));
  const goesWith = held.filter(({ kind }) => mayReadKind(context, reader, kind, resource));
  if (resource.metadata.deletingAt === undefined) return { look, holds: [], usedBy, owned, goesWith };
  const finalizers = resource.metadata.finalizers.filter((one) => one !== "reeve/contents");
  return {
    look,
    usedBy,
    owned,
    goesWith,
    holds: [
      ...held.map(({ kind: name, count }) => ({ kind: name, count, why: "belongs to it and goes first" })),
      ...finalizers.map((finalizer) => ({
        finalizer,
        count: 1,
        why: "this finalizer has not been removed yet",
      })),
    ],
  };
}

async function ownedBy(context: Context, { caller }: Reader, { metadata }: Stored): Promise<Address[]> {
  const found = await listDependents(context.database, { uid: metadata.uid }, ownedShown);
  const all = found.map((one) => ({ at: addressOf(one), resource: one }));
  const readable = all.filter(({ at, resource }) => {
    const kind = context.registry.byName(at.kind);
    return (
      readRefusal(caller, { kind, at, resource, controller: context.controllers.get(at.kind) }) === undefined
    );
  });
  return readable.map(({ at }) => at);
}

function mayReadKind(context: Context, { caller }: Reader, name: string, around: Stored): boolean {
  const scope = rightsScope(context.registry.byName(around.kind), around.metadata);
  return (
    caller !== undefined && allows(caller.grants, permissionOf(context.registry.byName(name), "read"), scope)
  );
}

function addressOf({ kind, metadata }: Stored): Address {
  return { kind, scope: metadata.scope, name: metadata.name };
}

/** How to find what goes before this resource can go. */
export function belongingTo(context: Context, { kind: name, metadata }: Stored): Belonging {
  const kind = context.registry.byName(name);
  const kinds = context.registry.kinds.map((one) => one.name);
  return {
    uid: metadata.uid,
    contents: kind.opensScope ? { scope: rightsScope(kind, metadata), kinds } : undefined,
  };
}
