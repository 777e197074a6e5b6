import { isObject, type JsonObject, type Kind, type Level } from "@reeve/model";
import type { Place } from "./openapi-place.ts";
import { readPlainYaml } from "./openapi-plain-yaml.ts";

/** The example of a kind as an object; undefined when it cannot be had that way. */
export function exampleOf(kind: Kind): JsonObject | undefined {
  const manifest = readPlainYaml(kind.example);
  const fits =
    manifest !== undefined && isObject(manifest.metadata) && kind.spec.safeParse(manifest.spec).success;
  return fits ? manifest : undefined;
}

/** The same names as the examples of the path parameters, so that a request can be tried as it stands. */
const scopes: Record<Level, string> = {
  installation: "",
  organization: "acme",
  project: "acme/shop",
  workspace: "acme/shop/production",
};

/** The example, moved to the scope that the address of this place names. */
export function exampleAt({ kind, level }: Pick<Place, "kind" | "level">): JsonObject | undefined {
  const manifest = exampleOf(kind);
  if (manifest === undefined) return undefined;
  const { scope: _, ...metadata } = manifest.metadata as JsonObject;
  const scope = scopes[level];
  return { ...manifest, metadata: { ...(scope === "" ? {} : { scope }), ...metadata } };
}

/** The example as the server would show it: defaults filled in, and what only the server knows. */
export function shownExample(kind: Kind): JsonObject | undefined {
  const manifest = exampleOf(kind);
  if (manifest === undefined) return undefined;
  const at = "2026-01-31T10:04:00.000Z";
  const metadata = {
    scope: "",
    name: "",
    uid: "0198c0de-0000-7000-8000-000000000001",
    generation: 1,
    revision: 812,
    labels: {},
    annotations: {},
    finalizers: [...(kind.finalizers ?? [])],
    createdAt: at,
    updatedAt: at,
    ...(manifest.metadata as JsonObject),
  };
  return { ...manifest, metadata, spec: kind.spec.parse(manifest.spec) as JsonObject, status: {} };
}
