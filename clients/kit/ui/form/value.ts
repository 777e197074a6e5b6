import type { Json } from "@reeve/model";
import type { SchemaAt } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";

/** What a field begins with once somebody wants it: the schema's default, else as little as its shape needs. */
export function freshValue(at: SchemaAt): Json {
  const { default: given } = at.schema;
  if (given !== undefined) return given;
  const shape = shapeOf(at);
  switch (shape.shape) {
    case "text":
      return "";
    case "number":
      return shape.least ?? 0;
    case "toggle":
      return false;
    case "choice":
      return shape.options[0] ?? null;
    case "fixed":
      return shape.value;
    case "list":
      return [];
    case "variants":
      return freshValue(shape.variants[0] as SchemaAt);
    case "object":
      return Object.fromEntries(
        shape.properties.filter((one) => one.required).map((one) => [one.name, freshValue(one.at)]),
      );
    default:
      return {};
  }
}

/** The object with this field as it is now; undefined leaves the field out. The order of the others stays. */
export function withField(
  object: { readonly [key: string]: Json },
  name: string,
  value: Json | undefined,
): { [key: string]: Json } {
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...rest } = object;
  return rest;
}

/** The object with a key renamed in its place. */
export function withKey(
  object: { readonly [key: string]: Json },
  from: string,
  to: string,
): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}
