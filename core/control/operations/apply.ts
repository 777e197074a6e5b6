import {
  apiVersion,
  type Change,
  diff,
  Fault,
  type Json,
  type Kind,
  kindCan,
  lastPart,
  levelOf,
  type Manifest,
  newUid,
  type Owner,
  parentScope,
  type Resource,
  readManifest,
  type Scope,
  sameJson,
  showAddress,
  yes,
} from "@reeve/model";
import type { Address, Decision, Stored, View, Written } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import type { Admission, AlsoRows } from "../controller.ts";
import { notFoundScope, readRefusal, refusal } from "../guard/authorise.ts";
import { checkMatch, isDenial, mutate, refused, type Wanted } from "./mutate.ts";

/** Creates the resource, or brings it to what the manifest says. */
export function apply(
  context: Context,
  asking: Asking,
  input: unknown,
  operation = "apply",
): Promise<Written> {
  const { manifest, kind } = readManifest(input, context.registry);
  return mutate(context, asking, applying(context, asking, kind, manifest, operation));
}

export function applying(
  context: Context,
  asking: Asking,
  kind: Kind,
  manifest: Manifest,
  operation: string,
): Wanted {
  const { name, scope } = manifest.metadata;
  const at: Address = { kind: kind.name, scope, name };
  const controller = context.controllers.get(kind.name);
  const scopeAt = scopeAddress(context, scope);
  const ownerAt = ownerAddress(manifest);
  const refers = [
    ...(controller?.refers?.({ scope, spec: manifest.spec }) ?? []),
    ...context.overseers.flatMap((one) => one.refers({ kind: kind.name, scope, spec: manifest.spec })),
  ];
  const needs = [at, ...(scopeAt ? [scopeAt] : []), ...(ownerAt ? [ownerAt] : []), ...refers];

  function decide(view: View): Decision {
    const before = view.get(at);
    const proposed = propose(kind, manifest, before, view);
    const may = (verb: string) =>
      refusal(asking.caller, { kind, verb, at, controller, resource: before ?? proposed });
    const fault = may(before === undefined ? "create" : "update");
    // What the caller may not see is refused as if it were to be made, so that the answer does not tell that it is there.
    if (fault !== undefined)
      return refused(operation, at, fault.kind === "not_found" ? (may("create") ?? fault) : fault);
    if (scopeAt !== undefined) checkScope(view, scopeAt, scope, before);
    checkMatch(asking, kind, before);
    if (
      manifest.metadata.uid !== undefined &&
      before !== undefined &&
      manifest.metadata.uid !== before.metadata.uid
    )
      throw new Fault(
        "conflict",
        `${showAddress(at)} is another one than you read: its uid is ${before.metadata.uid}`,
        { next: "read it again" },
      );
    // An owner that stays may be going: what it owns must still let go of its finalizers.
    const stays = ownerAt === undefined || sameOwner(before?.metadata.owner, view.get(ownerAt));
    if (!stays) {
      // Whoever gives a resource to an owner lets it go with that owner.
      const kept = may("delete");
      if (kept !== undefined) return refused(operation, at, kept);
      if (view.ownsAny(proposed.metadata.uid))
        throw new Fault(
          "precondition",
          `${showAddress(at)} owns others, so it cannot be given an owner now`,
          {
            next: "make it anew with its owner; owners must not form a circle",
          },
        );
    }
    const owned = stays
      ? proposed
      : withOwner(proposed, ownerAt, (address) => visibleOwner(context, asking, address, view));
    const caller = asking.caller as NonNullable<Asking["caller"]>;
    let after = owned;
    let rows: readonly AlsoRows[];
    try {
      after = controller?.admit?.({ before, after: owned, caller, view }) ?? owned;
      rows = overseen(context, { before, after, caller, view });
    } catch (error) {
      if (isDenial(error)) return refused(operation, at, error);
      throw error;
    }
    const more = together([controller?.also?.(after), ...rows]);
    if (before === undefined)
      return {
        writes: [{ operation: "create", resource: after }],
        audit: [{ ...at, operation, outcome: "done", detail: { changes: changesBetween(undefined, after) } }],
        ...more,
      };
    const changes = changesBetween(before, after);
    // The same words may have come to mean something else, which admission notes in the status.
    const sameMeaning = sameJson(before.status, after.status);
    if (changes.length === 0 && sameMeaning) return { writes: [], audit: [], seen: before };
    const sameSpec = sameJson(before.spec, after.spec);
    const verdict = sameSpec ? yes : kindCan(kind, "update", before);
    if (!verdict.yes) throw new Fault("precondition", `${showAddress(at)} cannot be changed: ${verdict.why}`);
    const generation = before.metadata.generation + (sameSpec ? 0 : 1);
    const resource = { ...after, metadata: { ...after.metadata, generation } };
    return {
      writes: [{ operation: "update", resource }],
      audit: [{ ...at, operation, outcome: "done", detail: { changes } }],
      ...more,
    };
  }
  return { needs, asksOwned: ownerAt !== undefined, decide };
}

/** What the overseers want written along with a new or changed spec. */
function overseen(context: Context, change: Admission): AlsoRows[] {
  if (change.before !== undefined && sameJson(change.before.spec, change.after.spec)) return [];
  return context.overseers.flatMap((one) => one.admit(change) ?? []);
}

function together(rows: readonly (AlsoRows | undefined)[]): Pick<Decision, "also"> {
  const wanted = rows.filter((one) => one !== undefined);
  if (wanted.length === 0) return {};
  return {
    async also(sql) {
      for (const write of wanted) await write(sql);
    },
  };
}

/** The resource that the manifest asks for: what it leaves out stays as it is. */
function propose(kind: Kind, manifest: Manifest, before: Stored | undefined, view: View): Stored {
  const { metadata } = manifest;
  // The kind's own finalizers come with the resource and only its reconciler takes them away.
  const own = (kind.finalizers ?? []).filter(
    (one) => before === undefined || before.metadata.finalizers.includes(one),
  );
  const finalizers = [...new Set([...own, ...(metadata.finalizers ?? before?.metadata.finalizers ?? [])])];
  const paused = metadata.paused ?? before?.metadata.paused ?? false;
  return {
    apiVersion,
    kind: manifest.kind,
    metadata: {
      scope: metadata.scope,
      name: metadata.name,
      uid: before?.metadata.uid ?? newUid(),
      generation: before?.metadata.generation ?? 1,
      revision: before?.metadata.revision ?? 0,
      labels: metadata.labels ?? before?.metadata.labels ?? {},
      annotations: metadata.annotations ?? before?.metadata.annotations ?? {},
      finalizers,
      ...(before?.metadata.owner && metadata.owner !== null ? { owner: before.metadata.owner } : {}),
      ...(paused ? { paused } : {}),
      createdAt: before?.metadata.createdAt ?? view.now,
      updatedAt: view.now,
      ...(before?.metadata.deletingAt ? { deletingAt: before.metadata.deletingAt } : {}),
    },
    spec: manifest.spec,
    status: before?.status ?? {},
    deletingForce: before?.deletingForce ?? false,
    bytes: before?.bytes ?? 0,
  };
}

function sameOwner(before: Owner | undefined, owner: Stored | undefined): boolean {
  return before !== undefined && before.uid === owner?.metadata.uid;
}

/** An owner that the caller may not read is not there for them. */
function visibleOwner(context: Context, { caller }: Asking, at: Address, view: View): Stored | undefined {
  const resource = view.get(at);
  if (resource === undefined) return undefined;
  const what = { kind: context.registry.byName(at.kind), at, controller: context.controllers.get(at.kind) };
  return readRefusal(caller, { ...what, resource }) === undefined ? resource : undefined;
}

function withOwner(
  resource: Stored,
  ownerAt: Address | undefined,
  find: (at: Address) => Stored | undefined,
): Stored {
  if (ownerAt === undefined) return resource;
  const owner = find(ownerAt);
  if (owner === undefined || owner.metadata.uid === resource.metadata.uid)
    throw new Fault("invalid", `the owner ${showAddress(ownerAt)} is not there`, {
      errors: [{ pointer: "/metadata/owner", message: `there is no ${showAddress(ownerAt)}` }],
      next: "create the owner first, or leave it out",
    });
  return { ...resource, metadata: { ...resource.metadata, owner: ownerOf(owner) } };
}

/** A new resource may not be given to an owner that is going: nobody would delete it. */
export function ownerOf(owner: Stored): Owner {
  if (owner.metadata.deletingAt !== undefined)
    throw new Fault(
      "precondition",
      `${showAddress({ kind: owner.kind, ...owner.metadata })} is being deleted`,
    );
  return {
    kind: owner.kind,
    scope: owner.metadata.scope,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
  };
}

/** What a person would call a change: labels, annotations and the like, and the spec. */
export function changesBetween(before: Resource | undefined, after: Resource | undefined): Change[] {
  return diff(before && comparable(before), after && comparable(after));
}

function comparable({ metadata, spec }: Resource): Json {
  const { labels, annotations, finalizers, owner, paused } = metadata;
  return {
    metadata: { labels, annotations, finalizers, ...(owner ? { owner } : {}), ...(paused ? { paused } : {}) },
    spec,
  } as unknown as Json;
}

/** The resource that opens a scope: to create something in the scope, it must be there and not be going. */
export function scopeAddress(context: Context, scope: Scope): Address | undefined {
  const kind = context.registry.opening(levelOf(scope));
  return kind && { kind: kind.name, scope: parentScope(scope), name: lastPart(scope) };
}

function checkScope(view: View, at: Address, scope: Scope, before: Stored | undefined): void {
  const opener = view.get(at);
  if (opener === undefined) throw notFoundScope(scope);
  // What is there may still be changed: how else would its finalizers be removed.
  if (before === undefined && opener.metadata.deletingAt !== undefined)
    throw new Fault("precondition", `${showAddress(at)} is being deleted: nothing new can be made in it`);
}

function ownerAddress(manifest: Manifest): Address | undefined {
  const { owner, scope } = manifest.metadata;
  return owner ? { kind: owner.kind, scope: owner.scope ?? scope, name: owner.name } : undefined;
}
