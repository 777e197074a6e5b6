import { propertiesOf, type SchemaAt } from "./schema.ts";

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "yes or no",
  array: "list",
  object: "fields",
};

/** What a form is called: the fixed word that tells it from the others, else the fields it needs, else its type. */
export function variantLabel(at: SchemaAt): string {
  if (typeof at.schema.title === "string") return at.schema.title;
  if (at.schema.const !== undefined) return String(at.schema.const);
  const properties = propertiesOf(at);
  const fixed = properties.find(({ at: { schema } }) => schema.const !== undefined);
  if (fixed !== undefined) return String(fixed.at.schema.const);
  const required = properties.filter((one) => one.required).map((one) => one.name);
  if (required.length > 0) return required.join(", ");
  return typeWords[String(at.schema.type)] ?? "other";
}

/** The field by whose fixed word the forms are told apart, if they have one. */
export function variantKey(variants: readonly SchemaAt[]): string | undefined {
  const keys = variants.map((at) => propertiesOf(at).find((one) => one.at.schema.const !== undefined)?.name);
  return keys.every((key) => key === keys[0]) ? keys[0] : undefined;
}
