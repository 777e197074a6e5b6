import { isObject, type Json, type JsonObject } from "@reeve/model";

/** One field of a kind, as `explain` shows it. */
export interface FieldRow {
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly fallback: string;
  readonly description: string;
}

/** Recursive schemas exist; nobody reads deeper than this. */
const deepest = 6;

/** The fields below a JSON Schema, in reading order. */
export function fieldRows(schema: JsonObject, root: JsonObject = schema, depth = 0): FieldRow[] {
  if (depth > deepest) return [];
  return objectsBelow(resolve(schema, root), root).flatMap((object) => rowsOf(object, root, depth));
}

function rowsOf(object: JsonObject, root: JsonObject, depth: number): FieldRow[] {
  const required = Array.isArray(object.required) ? object.required : [];
  return Object.entries(properties(object)).flatMap(([name, field]) => {
    const own = resolve(field, root);
    const row = {
      depth,
      name,
      type: typeName(own, root),
      required: required.includes(name) && own.default === undefined,
      fallback: own.default === undefined ? "" : JSON.stringify(own.default),
      description: textOf(field.description) || textOf(own.description),
    };
    return [row, ...fieldRows(own, root, depth + 1)];
  });
}

/** The schema of a field by its path, through lists and maps; undefined when there is none. */
export function schemaAt(root: JsonObject, path: readonly string[]): JsonObject | undefined {
  let at: JsonObject | undefined = root;
  for (const part of path) {
    const objects: JsonObject[] = at === undefined ? [] : objectsBelow(resolve(at, root), root);
    at = objects.map(properties).find((fields) => Object.hasOwn(fields, part))?.[part];
  }
  return at && resolve(at, root);
}

export function typeName(schema: JsonObject, root: JsonObject): string {
  const own = resolve(schema, root);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (Array.isArray(own.enum))
    return own.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("|");
  if (holdsItself(own, root)) return "JSON";
  const choices = own.anyOf ?? own.oneOf;
  if (Array.isArray(choices))
    return choices
      .filter(isObject)
      .map((one) => typeName(one, root))
      .join(" or ");
  if (own.type === "array") return `list of ${isObject(own.items) ? typeName(own.items, root) : "anything"}`;
  if (own.type === "object" && isObject(own.additionalProperties) && own.properties === undefined)
    return `map of ${typeName(own.additionalProperties, root)}`;
  const types = (Array.isArray(own.type) ? own.type : [own.type]).map(textOf);
  const type = types.map((one) => words[one] ?? (one || "anything")).join(" or ");
  return own.format === undefined ? type : `${type} (${textOf(own.format).replace(/^reeve-/, "")})`;
}

const words: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true|false",
  integer: "whole number",
  number: "number",
};

/** The objects whose fields a person would write next: the schema itself, a list's item, a map's value, each of several choices. */
function objectsBelow(schema: JsonObject, root: JsonObject): JsonObject[] {
  if (isObject(schema.properties)) return [schema];
  const inner = isObject(schema.items) ? schema.items : schema.additionalProperties;
  if (isObject(inner)) return objectsBelow(resolve(inner, root), root);
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices) || holdsItself(schema, root)) return [];
  return choices.filter(isObject).flatMap((one) => objectsBelow(resolve(one, root), root));
}

/** Any JSON: texts, numbers, and lists and maps of the same. */
function holdsItself(schema: JsonObject, root: JsonObject): boolean {
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices)) return false;
  return choices.some((one) => isObject(one) && isObject(one.items) && resolve(one.items, root) === schema);
}

function properties(schema: JsonObject): Record<string, JsonObject> {
  return isObject(schema.properties) ? (schema.properties as Record<string, JsonObject>) : {};
}

function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith("#")) return schema;
  let at: Json | undefined = root;
  for (const part of schema.$ref.split("/").slice(1))
    at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return isObject(at) && at !== schema ? at : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
