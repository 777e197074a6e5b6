import { apiVersion, type JsonObject } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { type SchemaAt, schemaAt } from "./schema.ts";

const texts = { type: "object", additionalProperties: { type: "string" } };

/** The schema of what a person writes of a kind: its spec, and what every resource has. */
export function manifestSchema(kind: Pick<KindInfo, "name" | "spec">): SchemaAt {
  const { $defs, ...spec } = kind.spec;
  const metadata: JsonObject = {
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: {
      scope: { type: "string", format: "reeve-scope", description: "Where it lives." },
      name: { type: "string", minLength: 1, maxLength: 63 },
      labels: { ...texts, description: "To select by." },
      annotations: { ...texts, description: "Longer notes; nothing is selected by them." },
      finalizers: {
        type: "array",
        items: { type: "string" },
        description: "What must be undone outside before it may go.",
      },
      owner: { description: "What it belongs to, and goes with: { kind, name }." },
      paused: { type: "boolean", description: "Reconcilers leave it alone." },
    },
  };
  return schemaAt({
    type: "object",
    additionalProperties: false,
    required: ["apiVersion", "kind", "metadata"],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind.name },
      metadata,
      spec,
    },
    ...($defs === undefined ? {} : { $defs }),
  });
}
