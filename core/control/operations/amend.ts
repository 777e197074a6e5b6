import {
  Fault,
  isObject,
  type Json,
  type JsonObject,
  type Manifest,
  mergePatch,
  readInput,
  readManifest,
  sameJson,
} from "@reeve/model";
import {
  type Address,
  readGeneration,
  readResource,
  type Stored,
  shown,
  type View,
  type Written,
} from "@reeve/store";
import { z } from "zod";
import type { Asking, Context } from "../context.ts";
import { notFound, refusal } from "../guard/authorise.ts";
import { applying } from "./apply.ts";
import { mutate, refuse, type Wanted } from "./mutate.ts";

/** Changes parts of a resource by a JSON merge patch. */
export function patch(context: Context, asking: Asking, at: Address, body: unknown): Promise<Written> {
  const change = readPatch(body);
  const patched = (resource: Stored) => emptied(mergePatch(editable(resource), change));
  return amend(context, asking, at, "patch", async () => patched);
}

/** Makes the spec of an earlier generation the newest one. */
export function rollback(
  context: Context,
  asking: Asking,
  at: Address,
  generation: number,
): Promise<Written> {
  return amend(context, asking, at, "rollback", async ({ metadata }) => {
    const found = await readGeneration(context.database, metadata.uid, generation);
    if (found === undefined)
      throw new Fault("precondition", `generation ${generation} is not kept`, {
        next: "`reeve history` lists the generations that are",
      });
    return (resource) => ({ ...(editable(resource) as JsonObject), spec: found.spec });
  });
}

/**
 * Applies what `prepare` makes of the resource. It is made anew under the lock, of what is there then, so that changes
 * that meet do not undo each other; only when that speaks of other rows than were locked, or another resource has taken
 * the name, is it tried again.
 */
async function amend(
  context: Context,
  asking: Asking,
  at: Address,
  operation: string,
  prepare: (seen: Stored) => Promise<(resource: Stored) => Json>,
): Promise<Written> {
  const kind = context.registry.byName(at.kind);
  const controller = context.controllers.get(at.kind);
  for (let tries = 1; ; tries++) {
    const seen = await readResource(context.database, at);
    const fault = refusal(asking.caller, { kind, verb: "update", at, controller, resource: seen });
    if (fault !== undefined) return refuse(context, asking, operation, at, fault);
    // Through the lane, where a repeated request finds its first answer.
    if (seen === undefined) return mutate(context, asking, { needs: [], decide: () => raise(notFound(at)) });
    let wanted: (resource: Stored) => Wanted;
    let expected: Wanted;
    try {
      const change = await prepare(seen);
      wanted = (resource) => {
        const { manifest } = readManifest(change(resource), context.registry, resource.spec);
        sameAddress(manifest, at);
        return applying(context, asking, kind, manifest, operation);
      };
      expected = wanted(seen);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // What has become impossible was possible when it was asked for first.
      return mutate(context, asking, { needs: [at], decide: () => raise(error) });
    }
    const decide = (view: View) => {
      const now = view.get(at);
      if (now?.metadata.uid !== seen.metadata.uid) throw movedOn;
      const found = now.metadata.revision === seen.metadata.revision ? expected : wanted(now);
      if (!sameJson(found.needs, expected.needs)) throw movedOn;
      return found.decide(view);
    };
    try {
      return await mutate(context, asking, { ...expected, decide });
    } catch (error) {
      if (error !== movedOn || tries >= 10) throw error;
    }
  }
}

function raise(fault: Fault): never {
  throw fault;
}

const movedOn = new Fault("conflict", "it is being changed by somebody else all the time", {
  next: "try again",
});

/** The parts of a resource that people write. A removed label or annotation must show as such, so all are given. */
function editable(resource: Stored): Json {
  const { apiVersion, kind, metadata, spec } = shown(resource);
  const { scope, name, labels, annotations, finalizers, owner, paused } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      scope,
      name,
      labels,
      annotations,
      finalizers,
      ...(owner ? { owner } : {}),
      paused: paused ?? false,
    },
    spec,
  } as unknown as Json;
}

/** To a manifest, what is left out stays as it is; a patch has removed it. */
function emptied(manifest: Json): Json {
  if (!isObject(manifest) || !isObject(manifest.metadata)) return manifest;
  const nothing = { labels: {}, annotations: {}, finalizers: [], owner: null, paused: false };
  return { ...manifest, metadata: { ...nothing, ...manifest.metadata } };
}

const anything = z.unknown().optional();
const patchShape = z.strictObject({
  apiVersion: anything,
  kind: anything,
  metadata: anything,
  spec: anything,
});

function readPatch(body: unknown): JsonObject {
  return readInput(patchShape, body) as JsonObject;
}

function sameAddress(manifest: Manifest, at: Address): void {
  const { kind, metadata } = manifest;
  if (kind === at.kind && metadata.scope === at.scope && metadata.name === at.name) return;
  throw new Fault("invalid", "kind, scope and name of a resource cannot be changed", {
    next: "create a new resource and delete this one",
  });
}
