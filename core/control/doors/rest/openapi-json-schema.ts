import { isObject, type Json, type JsonObject } from "@reeve/model";
import { z } from "zod";

/** Where a schema's own `$ref`s begin: alone it is its own document, as a component it lies inside the big one. */
export function componentPointer(name: string): string {
  return `#/components/schemas/${name}`;
}

export function schemaRef(name: string): JsonObject {
  return { $ref: componentPointer(name) };
}

export function objectSchema(
  properties: JsonObject,
  required: readonly string[],
  description?: string,
): JsonObject {
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties,
    ...(required.length === 0 ? {} : { required: [...required] }),
  };
}

export function listSchema(items: JsonObject, description?: string): JsonObject {
  return objectSchema({ items: { type: "array", items } }, ["items"], description);
}

/**
 * The JSON Schema (2020-12) of a zod type: `input` is what a caller may write, `output` what a caller is answered.
 * Rules that JSON Schema has no words for (a refinement, a transformation) are left out: the server still checks them.
 */
export function jsonSchema(type: z.ZodType, io: "input" | "output", home = "#"): JsonObject {
  const made = z.toJSONSchema(type, { io, unrepresentable: "any" });
  // As text and back: zod's object also carries hidden members, and shares parts that are used twice.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(made)) as JsonObject;
  return home === "#" ? schema : (rehome(schema, home) as JsonObject);
}

function rehome(value: Json, home: string): Json {
  if (Array.isArray(value)) return value.map((item) => rehome(item, home));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "$ref" && typeof item === "string" && item.startsWith("#")
        ? home + item.slice(1)
        : rehome(item, home),
    ]),
  );
}
