import {
  type JsonObject,
  type Manifest,
  type Metadata,
  nameLimit,
  namePattern,
  type Owner,
  type Registry,
} from "@reeve/model";
import { componentPointer, objectSchema, schemaRef } from "./openapi-json-schema.ts";
import { conditionSchema } from "./openapi-kind-schemas.ts";

/** The parts that the resources of all kinds share. `satisfies` makes a field added to the model be described here. */
export function resourceSchemas(registry: Registry): JsonObject {
  return {
    Resource: anyKind(registry, "", "A resource of any kind."),
    Manifest: anyKind(registry, "Manifest", "What a person writes, of any kind."),
    Metadata: objectSchema(metadata, requiredMetadata, "What all resources have."),
    ManifestMetadata: {
      ...objectSchema(manifestMetadata, ["name"], "What a person may write of a resource's metadata."),
      additionalProperties: false,
    },
    Owner: objectSchema(
      owner,
      ["kind", "scope", "name", "uid"],
      "What a resource belongs to: it goes with its owner.",
    ),
    Condition: { description: "One thing observed about a resource, in words.", ...conditionSchema() },
    Patch: patch,
  };
}

function anyKind(registry: Registry, part: string, description: string): JsonObject {
  const names = registry.kinds.map((kind) => [kind.name, kind.name + part] as const);
  return {
    description,
    oneOf: names.map(([, schema]) => schemaRef(schema)),
    discriminator: {
      propertyName: "kind",
      mapping: Object.fromEntries(names.map(([kind, schema]) => [kind, componentPointer(schema)])),
    },
  };
}

const text = { type: "string" };
const textMap = { type: "object", additionalProperties: text };
const time = { type: "string", format: "date-time" };
const name = { type: "string", pattern: namePattern.source, maxLength: nameLimit, examples: ["shop"] };
const scope = {
  type: "string",
  description:
    "Where it lives: empty for the installation, then `acme`, `acme/shop`, `acme/shop/production`.",
  examples: ["acme"],
};
const finalizers = {
  type: "array",
  description: "What must be undone before it may go.",
  items: { type: "string", pattern: "^[a-z0-9.-]+/[a-z0-9-]+$" },
  maxItems: 20,
};
const paused = { type: "boolean", description: "Reconcilers leave a paused resource alone." };

const metadata = {
  scope,
  name,
  uid: { type: "string", format: "uuid" },
  generation: { type: "integer", minimum: 1, description: "The version of the spec." },
  revision: {
    type: "integer",
    description: "The place of the last write; what If-Match compares and a watch resumes from.",
    examples: [812],
  },
  labels: textMap,
  annotations: textMap,
  finalizers,
  owner: schemaRef("Owner"),
  paused,
  createdAt: time,
  updatedAt: time,
  deletingAt: { ...time, description: "Since when it is being deleted." },
} satisfies Record<keyof Metadata, JsonObject>;

const requiredMetadata = Object.keys(metadata).filter(
  (key) => !["owner", "paused", "deletingAt"].includes(key),
);

const manifestMetadata = {
  scope: { ...scope, default: "" },
  name,
  uid: { type: "string", description: "Refused with 409 when the resource has another one." },
  generation: { type: "integer", readOnly: true },
  revision: { type: "integer", readOnly: true },
  labels: textMap,
  annotations: textMap,
  finalizers,
  owner: objectSchema(
    { kind: text, name: text, scope: { ...text, description: "Its own scope when left out." } },
    ["kind", "name"],
  ),
  paused,
  // Accepted and left out, so that what was read can be applied again.
  createdAt: { readOnly: true },
  updatedAt: { readOnly: true },
  deletingAt: { readOnly: true },
} satisfies Record<keyof Manifest["metadata"] | "createdAt" | "updatedAt" | "deletingAt", JsonObject>;

const owner = { kind: text, scope: text, name: text, uid: text } satisfies Record<keyof Owner, JsonObject>;

const patch: JsonObject = {
  ...objectSchema(
    {
      apiVersion: text,
      kind: text,
      metadata: {
        type: "object",
        description: "Labels, annotations, finalizers, owner and paused may change; null removes.",
      },
      spec: { type: "object", description: "The fields to change; null removes." },
    },
    [],
    "A JSON merge patch of a resource.",
  ),
  additionalProperties: false,
};
