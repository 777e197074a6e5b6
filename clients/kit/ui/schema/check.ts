import {
  escapePointer,
  type FieldError,
  hints,
  isObject,
  type Json,
  parseDuration,
  sameJson,
} from "@reeve/model";
import { entryOf, isAny, itemOf, propertiesOf, type SchemaAt, schemaAt, variantsOf } from "./schema.ts";

/**
 * What is wrong with a value by its schema, at JSON pointers. Enough to help while somebody types: the server knows rules that
 * no schema has words for, has better words than a pattern, and the last one.
 */
export function check(at: SchemaAt, value: Json | undefined, pointer = ""): FieldError[] {
  const wrong = (message: string): FieldError[] => [{ pointer, message }];
  if (value === undefined || isAny(at)) return [];
  const variants = variantsOf(at);
  if (variants.length > 0) {
    if (value === null && allowsNull(at)) return [];
    return check(variants[variantFor(variants, value)] as SchemaAt, value, pointer);
  }
  const { schema } = at;
  if (schema.const !== undefined)
    return sameJson(schema.const, value) ? [] : wrong(`must be ${JSON.stringify(schema.const)}`);
  if (Array.isArray(schema.enum))
    return schema.enum.some((one) => sameJson(one, value)) ? [] : wrong(`one of ${schema.enum.join(", ")}`);
  switch (schema.type) {
    case "string":
      return typeof value === "string" ? textErrors(at, value).flatMap(wrong) : wrong("expected text");
    case "boolean":
      return typeof value === "boolean" ? [] : wrong("expected true or false");
    case "integer":
    case "number":
      return typeof value === "number" ? numberErrors(at, value).flatMap(wrong) : wrong("expected a number");
    case "array":
      return Array.isArray(value) ? listErrors(at, value, pointer) : wrong("expected a list");
    case "object":
      return isObject(value) ? objectErrors(at, value, pointer) : wrong("expected fields");
    default:
      return [];
  }
}

/** The form that a value has, or comes nearest to: what is fixed in a form decides, then how little is wrong with it. */
export function variantFor(variants: readonly SchemaAt[], value: Json | undefined): number {
  const wrongs = variants.map((one) =>
    isOther(one, value) ? Number.POSITIVE_INFINITY : check(one, value).length,
  );
  return Math.max(0, wrongs.indexOf(Math.min(...wrongs)));
}

/** Whether the value says that it is of another form: another type, or another word where this form has a fixed one. */
function isOther(at: SchemaAt, value: Json | undefined): boolean {
  const { type } = at.schema;
  if (type === "object" && !isObject(value)) return true;
  if (type === "array" && !Array.isArray(value)) return true;
  if (type === "string" && typeof value !== "string") return true;
  if (!isObject(value)) return false;
  return propertiesOf(at).some(({ name, at: { schema } }) => {
    const given = value[name];
    return schema.const !== undefined && given !== undefined && given !== schema.const;
  });
}

function allowsNull({ schema }: SchemaAt): boolean {
  const given = schema.oneOf ?? schema.anyOf;
  return Array.isArray(given) && given.some((one) => isObject(one) && one.type === "null");
}

function textErrors({ schema }: SchemaAt, text: string): string[] {
  const { minLength, maxLength, format } = schema;
  if (typeof minLength === "number" && text.length < minLength)
    return [minLength === 1 ? "must not be empty" : `at least ${minLength} characters`];
  if (typeof maxLength === "number" && text.length > maxLength) return [`at most ${maxLength} characters`];
  if (format === hints.duration && !isDuration(text))
    return ["write a number with a unit: 90s, 15m, 12h, 30d"];
  return [];
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch {
    return false;
  }
}

function numberErrors({ schema }: SchemaAt, value: number): string[] {
  const { minimum, maximum } = schema;
  if (schema.type === "integer" && !Number.isInteger(value)) return ["must be whole"];
  if (typeof minimum === "number" && value < minimum) return [`at least ${minimum}`];
  return typeof maximum === "number" && value > maximum ? [`at most ${maximum}`] : [];
}

function listErrors(at: SchemaAt, items: readonly Json[], pointer: string): FieldError[] {
  const { minItems, maxItems } = at.schema;
  if (typeof minItems === "number" && items.length < minItems)
    return [{ pointer, message: `at least ${minItems} of them` }];
  if (typeof maxItems === "number" && items.length > maxItems)
    return [{ pointer, message: `at most ${maxItems} of them` }];
  return items.flatMap((item, index) => check(itemOf(at), item, `${pointer}/${index}`));
}

function objectErrors(at: SchemaAt, value: { [key: string]: Json }, pointer: string): FieldError[] {
  const properties = new Map(propertiesOf(at).map((one) => [one.name, one]));
  const missing = [...properties.values()]
    .filter((one) => one.required && value[one.name] === undefined)
    .map(({ name }) => ({ pointer: `${pointer}/${escapePointer(name)}`, message: "required" }));
  const more = entryOf(at);
  const given = Object.entries(value).flatMap(([name, one]): FieldError[] => {
    const inside = `${pointer}/${escapePointer(name)}`;
    const known = properties.get(name)?.at;
    if (known !== undefined) return check(known, one, inside);
    if (more !== undefined) return [...keyErrors(at, name, inside), ...check(more, one, inside)];
    return at.schema.additionalProperties === false ? [{ pointer: inside, message: "unknown field" }] : [];
  });
  return [...missing, ...given];
}

function keyErrors({ schema, root }: SchemaAt, key: string, pointer: string): FieldError[] {
  const names = schema.propertyNames;
  return isObject(names)
    ? textErrors(schemaAt(root, names), key).map((message) => ({ pointer, message }))
    : [];
}
