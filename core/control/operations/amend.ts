import {
  Fault,
  isObject,
  type Json,
  type JsonObject,
  type Manifest,
  mergePatch,
  readInput,
  readManifest,
} from "@reeve/model";
import { type Address, readGeneration, readResource, type Stored, shown, type Written } from "@reeve/store";
import { z } from "zod";
import type { Asking, Context } from "../context.ts";
import { notFound, refusal } from "../guard/authorise.ts";
import { applying } from "./apply.ts";
import { mutate, refuse } from "./mutate.ts";

/** Changes parts of a resource by a JSON merge patch. */
export function patch(context: Context, asking: Asking, at: Address, body: unknown): Promise<Written> {
  const change = readPatch(body);
  return amend(context, asking, at, "patch", (resource) => emptied(mergePatch(editable(resource), change)));
}

/** Makes the spec of an earlier generation the newest one. */
export function rollback(
  context: Context,
  asking: Asking,
  at: Address,
  generation: number,
): Promise<Written> {
  return amend(context, asking, at, "rollback", async (resource) => {
    const found = await readGeneration(context.database, resource.metadata.uid, generation);
    if (found === undefined)
      throw new Fault("precondition", `generation ${generation} is not kept`, {
        next: "`reeve history` lists the generations that are",
      });
    return { ...(editable(resource) as JsonObject), spec: found.spec };
  });
}

/** Reads, changes and applies on the condition that nobody else did meanwhile; tries again when somebody did. */
async function amend(
  context: Context,
  asking: Asking,
  at: Address,
  operation: string,
  change: (resource: Stored) => Json | Promise<Json>,
): Promise<Written> {
  const kind = context.registry.byName(at.kind);
  const controller = context.controllers.get(at.kind);
  for (let tries = 1; ; tries++) {
    const before = await readResource(context.database, at);
    const fault = refusal(asking.caller, { kind, verb: "update", at, controller, resource: before });
    if (fault !== undefined) return refuse(context, asking, operation, at, fault);
    if (before === undefined) throw notFound(at);
    const { manifest } = readManifest(await change(before), context.registry);
    sameAddress(manifest, at);
    const conditional = { ...asking, ifMatch: asking.ifMatch ?? before.metadata.revision };
    try {
      return await mutate(context, conditional, applying(context, conditional, kind, manifest, operation));
    } catch (error) {
      const lost = error instanceof Fault && error.kind === "conflict" && asking.ifMatch === undefined;
      if (!lost || tries >= 10) throw error;
    }
  }
}

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
