import { isObject, type Json, type JsonObject } from "@reeve/model";

/** A place in a JSON Schema, with the document that its references lead into. */
export interface SchemaAt {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

export interface Property {
  readonly name: string;
  readonly at: SchemaAt;
  readonly required: boolean;
}

/** The schema a place really has: references are followed, and a list of types is so many forms. */
export function schemaAt(root: JsonObject, schema: JsonObject = root): SchemaAt {
  const { $ref, type, ...rest } = schema;
  if (Array.isArray(type))
    return { schema: { ...rest, anyOf: type.map((one) => ({ ...rest, type: one })) }, root };
  if (typeof $ref !== "string") return { schema, root };
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<Json | undefined>((node, part) => (isObject(node) ? node[part] : undefined), root);
  return schemaAt(root, { ...(isObject(target) ? target : {}), ...rest });
}

export function propertiesOf({ schema, root }: SchemaAt): Property[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, one]) =>
    isObject(one) ? [{ name, at: schemaAt(root, one), required: required.includes(name) }] : [],
  );
}

/** Of a list: what its items are. */
export function itemOf({ schema, root }: SchemaAt): SchemaAt {
  return schemaAt(root, isObject(schema.items) ? schema.items : {});
}

/** Of an object with keys of a person's own choice: what stands under each. */
export function entryOf({ schema, root }: SchemaAt): SchemaAt | undefined {
  const more = schema.additionalProperties;
  return isObject(more) ? schemaAt(root, more) : undefined;
}

/** The forms that a value may have; none when there is but one. `null` is no form of its own: it means left out. */
export function variantsOf({ schema, root }: SchemaAt): SchemaAt[] {
  const given = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(given)) return [];
  return given
    .filter(isObject)
    .map((one) => schemaAt(root, one))
    .filter((one) => one.schema.type !== "null");
}

/** Whether anything at all may stand there. */
export function isAny(at: SchemaAt): boolean {
  const { type, oneOf, anyOf, enum: choices, const: only, properties } = at.schema;
  if ([type, oneOf, anyOf, choices, only, properties].every((one) => one === undefined)) return true;
  const types = variantsOf(at).map((one) => one.schema.type);
  return ["string", "number", "array", "object"].every((one) => types.includes(one));
}

export function describedBy({ schema }: SchemaAt): string | undefined {
  return typeof schema.description === "string" ? schema.description : undefined;
}
