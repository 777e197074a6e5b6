import { isObject, type Json } from "@reeve/model";
import { variantFor } from "./check.ts";
import { entryOf, isAny, itemOf, propertiesOf, type SchemaAt, variantsOf } from "./schema.ts";

/** The value with its fields in the order of the schema, which is the order people think in; the database has one of its own. */
export function inOrder(at: SchemaAt, value: Json): Json {
  if (isAny(at)) return value;
  const variants = variantsOf(at);
  if (variants.length > 0) return inOrder(variants[variantFor(variants, value)] as SchemaAt, value);
  if (Array.isArray(value)) return value.map((item) => inOrder(itemOf(at), item));
  if (!isObject(value)) return value;
  const known = propertiesOf(at).filter(({ name }) => value[name] !== undefined);
  const names = new Set(known.map(({ name }) => name));
  const more = Object.keys(value).filter((name) => !names.has(name));
  const entry = entryOf(at);
  return Object.fromEntries([
    ...known.map(({ name, at: inner }) => [name, inOrder(inner, value[name] as Json)]),
    ...more.map((name) => [name, entry === undefined ? value[name] : inOrder(entry, value[name] as Json)]),
  ]) as Json;
}
