import type { Json } from "@reeve/model";
import { describedBy, entryOf, itemOf, propertiesOf, type SchemaAt, variantsOf } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";
import type { Cursor } from "./cursor.ts";

export interface Suggestion {
  readonly label: string;
  /** What is written: the key with its colon, and where its value begins. */
  readonly apply: string;
  readonly detail?: string;
  readonly info?: string;
}

export interface Suggestions {
  readonly words: readonly Suggestion[];
  /** Names of resources of this kind fit too. */
  readonly kind?: string;
}

/** What may be written at a cursor, by the schema. */
export function suggest(root: SchemaAt, cursor: Cursor): Suggestions {
  const places = cursor.path.reduce<SchemaAt[]>(
    (found, part) => found.flatMap((at) => stepInto(at, part)),
    formsOf(root),
  );
  if (cursor.writes === "value") return valuesOf(places);
  const fitting = places.filter((at) => agrees(at, cursor.beside));
  const keys = fitting.flatMap((at) => propertiesOf(at)).filter(({ name }) => !cursor.beside.has(name));
  if (keys.length === 0) return valuesOf(places);
  const words = new Map<string, Suggestion>();
  for (const { name, at, required } of keys.sort((a, b) => Number(b.required) - Number(a.required)))
    if (!words.has(name)) words.set(name, keySuggestion(name, at, { required, column: cursor.column }));
  return { words: [...words.values()] };
}

/** The schema itself, or each of its forms. */
function formsOf(at: SchemaAt): SchemaAt[] {
  const variants = variantsOf(at);
  return variants.length === 0 ? [at] : variants.flatMap(formsOf);
}

function stepInto(at: SchemaAt, part: string | number): SchemaAt[] {
  if (typeof part === "number") return at.schema.type === "array" ? formsOf(itemOf(at)) : [];
  const own = propertiesOf(at).find(({ name }) => name === part)?.at ?? entryOf(at);
  return own === undefined ? [] : formsOf(own);
}

/** A form with a fixed word is out of the question where another word stands. */
function agrees(at: SchemaAt, beside: Cursor["beside"]): boolean {
  return propertiesOf(at).every(({ name, at: { schema } }) => {
    const given = beside.get(name);
    return (
      schema.const === undefined || given === undefined || given === "" || given === String(schema.const)
    );
  });
}

function keySuggestion(name: string, at: SchemaAt, where: { required: boolean; column: number }): Suggestion {
  const { shape } = shapeOf(at);
  const deeper = " ".repeat(where.column + 2);
  const opens = { object: `\n${deeper}`, map: `\n${deeper}`, list: `\n${deeper}- ` } as Record<
    string,
    string
  >;
  const info = describedBy(at);
  const words: Record<string, string> = {
    toggle: "true or false",
    choice: "one of",
    anything: "any",
    variants: "forms",
  };
  const type = words[shape] ?? shape;
  return {
    label: name,
    apply: `${name}:${opens[shape] ?? " "}`,
    detail: where.required ? `${type}, required` : type,
    ...(info === undefined ? {} : { info }),
  };
}

function valuesOf(places: readonly SchemaAt[]): Suggestions {
  const words = new Map<string, Suggestion>();
  let kind: string | undefined;
  for (const at of places) {
    const shape = shapeOf(at);
    const { default: usual } = at.schema;
    if (shape.shape === "text") kind ??= shape.kind;
    const given: readonly Json[] =
      shape.shape === "choice"
        ? shape.options
        : shape.shape === "toggle"
          ? [true, false]
          : shape.shape === "fixed"
            ? [shape.value]
            : [];
    for (const value of [...given, ...(usual === undefined || typeof usual === "object" ? [] : [usual])])
      words.set(String(value), {
        label: String(value),
        apply: String(value),
        ...(value === usual ? { detail: "default" } : {}),
      });
  }
  return { words: [...words.values()], ...(kind === undefined ? {} : { kind }) };
}
