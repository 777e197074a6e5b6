import { hints, isObject, type Json } from "@reeve/model";
import {
  entryOf,
  isAny,
  itemOf,
  type Property,
  propertiesOf,
  type SchemaAt,
  schemaAt,
  variantsOf,
} from "./schema.ts";

/** How a value is asked for. What has no better shape is written as YAML. */
export type Shape =
  | TextShape
  | { readonly shape: "number"; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly shape: "toggle" }
  | { readonly shape: "choice"; readonly options: readonly Json[] }
  | { readonly shape: "fixed"; readonly value: Json }
  | { readonly shape: "object"; readonly properties: readonly Property[] }
  | { readonly shape: "list"; readonly item: SchemaAt }
  | { readonly shape: "map"; readonly key: SchemaAt; readonly value: SchemaAt }
  | { readonly shape: "variants"; readonly variants: readonly SchemaAt[] }
  | { readonly shape: "anything" };

export interface TextShape {
  readonly shape: "text";
  /** May be long: several lines are welcome. */
  readonly long: boolean;
  /** A script: asked for in letters of one width. */
  readonly code: boolean;
  readonly format?: string;
  /** The kind that it names a resource of, or a relative JSON pointer to the field that names the kind. */
  readonly kind?: string;
  /** Never shown again once it was sent. */
  readonly writeOnly: boolean;
}

const longText = 1000;
const scalars: readonly Json[] = ["string", "number", "integer", "boolean"];

export function shapeOf(at: SchemaAt): Shape {
  const { schema, root } = at;
  if (isAny(at)) return { shape: "anything" };
  const variants = variantsOf(at);
  if (variants.length === 1) return shapeOf(variants[0] as SchemaAt);
  // What may be text, a number or yes and no is text in the end.
  if (variants.length > 1 && variants.every((one) => isScalar(one))) return textShape(at);
  if (variants.length > 1) return { shape: "variants", variants };
  if (schema.const !== undefined) return { shape: "fixed", value: schema.const };
  if (Array.isArray(schema.enum)) return { shape: "choice", options: schema.enum };
  if (schema.type === "boolean") return { shape: "toggle" };
  if (schema.type === "integer" || schema.type === "number") return numberShape(at);
  if (schema.type === "array") return { shape: "list", item: itemOf(at) };
  if (schema.type === "string") return textShape(at);
  const properties = propertiesOf(at);
  if (properties.length > 0) return { shape: "object", properties };
  const value = entryOf(at);
  const key = schemaAt(root, isObject(schema.propertyNames) ? schema.propertyNames : { type: "string" });
  return value === undefined ? { shape: "anything" } : { shape: "map", key, value };
}

function isScalar({ schema }: SchemaAt): boolean {
  return scalars.includes(schema.type ?? null) && schema.enum === undefined && schema.const === undefined;
}

function textShape({ schema }: SchemaAt): TextShape {
  const { maxLength, contentMediaType, format, writeOnly } = schema;
  const kind = schema[hints.kind];
  return {
    shape: "text",
    long: contentMediaType !== undefined || (typeof maxLength === "number" && maxLength >= longText),
    code: contentMediaType !== undefined,
    ...(typeof format === "string" ? { format } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    writeOnly: writeOnly === true,
  };
}

function numberShape({ schema }: SchemaAt): Shape {
  const { minimum, maximum } = schema;
  return {
    shape: "number",
    whole: schema.type === "integer",
    ...(typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? { least: minimum } : {}),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? { most: maximum } : {}),
  };
}
