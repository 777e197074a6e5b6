import { isObject, type Json, type JsonObject, type Resource, type Scope } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { Draft, KindInfo } from "@reeve/sdk";
import { inOrder } from "../ui/schema/in-order.ts";
import { schemaAt } from "../ui/schema/schema.ts";

/** What a person may change of a resource, as they would write it: what the server alone knows is left out. */
export function writable(kind: KindInfo, resource: Resource): JsonObject {
  const { apiVersion, metadata } = resource;
  const { scope, name, labels, annotations, finalizers, owner, paused } = metadata;
  return {
    apiVersion,
    kind: resource.kind,
    metadata: {
      ...(scope === "" ? {} : { scope }),
      name,
      ...(isEmpty(labels) ? {} : { labels }),
      ...(isEmpty(annotations) ? {} : { annotations }),
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      ...(owner === undefined ? {} : { owner: { kind: owner.kind, scope: owner.scope, name: owner.name } }),
      ...(paused ? { paused } : {}),
    },
    spec: inOrder(schemaAt(kind.spec), resource.spec),
  } as unknown as JsonObject;
}

export function writableText(kind: KindInfo, resource: Resource | undefined): string {
  return resource === undefined ? "" : toYaml(writable(kind, resource));
}

export function specText(kind: KindInfo, spec: JsonObject): string {
  return toYaml(inOrder(schemaAt(kind.spec), spec));
}

/** The text that a new resource begins with. */
export function emptyManifest(kind: KindInfo, scope: Scope, spec: Json): JsonObject {
  const metadata = { ...(scope === "" ? {} : { scope }), name: "" };
  return { apiVersion: "reeve/v1", kind: kind.name, metadata, spec };
}

/** To the server, what a manifest leaves out stays as it is; to whoever deleted a line in an editor, it is gone. */
export function complete(manifest: JsonObject): Draft<JsonObject> {
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {};
  const whole = {
    scope: "",
    labels: {},
    annotations: {},
    finalizers: [],
    owner: null,
    paused: false,
    ...metadata,
  };
  return { ...manifest, metadata: whole } as unknown as Draft<JsonObject>;
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}
