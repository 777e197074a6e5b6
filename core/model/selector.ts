import { Fault } from "./fault.ts";
import { valueAt } from "./json.ts";
import type { Resource } from "./resource.ts";

/**
 * Label selectors: `tier=web,env!=dev,team in (a,b),canary,!frozen`. Field selectors: `spec.role=owner,metadata.name!=x`,
 * over the fields a kind declares. One parsed form serves SQL and watch, so that both agree on what matches.
 */
export type Term =
  | { readonly key: string; readonly test: "in"; readonly values: readonly string[] }
  | { readonly key: string; readonly test: "not_in"; readonly values: readonly string[] }
  | { readonly key: string; readonly test: "exists" }
  | { readonly key: string; readonly test: "missing" };

const termPattern =
  /^(?:(!)\s*([^\s!=,()]+)|([^\s!=,()]+)\s*(?:(==|=|!=)\s*([^\s!=,()]*)|\s(in|notin)\s*\(([^()]*)\))?)$/;
const selectorLimit = 4096;

export function parseLabelSelector(text: string): Term[] {
  return splitTerms(text).map((part) => {
    const found = termPattern.exec(part);
    if (found === null) throw bad(part);
    const [, bang, missing, key, equals, value, set, list] = found;
    if (bang !== undefined) return { key: missing as string, test: "missing" };
    if (equals !== undefined)
      return { key: key as string, test: equals === "!=" ? "not_in" : "in", values: [value ?? ""] };
    if (set === undefined) return { key: key as string, test: "exists" };
    const values = (list as string).split(",").map((item) => item.trim());
    return { key: key as string, test: set === "in" ? "in" : "not_in", values };
  });
}

/** Fields that every kind can be selected by. */
export const commonFields = ["metadata.name", "metadata.scope"] as const;

export function parseFieldSelector(text: string, allowed: readonly string[]): Term[] {
  const terms = parseLabelSelector(text);
  for (const term of terms)
    if (![...commonFields, ...allowed].includes(term.key))
      throw new Fault("invalid", `cannot select by the field ${JSON.stringify(term.key)}`, {
        next: `fields of this kind to select by: ${[...commonFields, ...allowed].join(", ")}`,
      });
  return terms;
}

export function matches(terms: readonly Term[], values: Readonly<Record<string, string>>): boolean {
  return terms.every((term) => {
    const value = Object.hasOwn(values, term.key) ? values[term.key] : undefined;
    if (!("values" in term)) return (value !== undefined) === (term.test === "exists");
    const listed = value !== undefined && term.values.includes(value);
    return term.test === "in" ? listed : !listed;
  });
}

/** The selectable fields of a resource as text, the form that field selectors are matched on. */
export function fieldValues(resource: Resource, fields: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {
    "metadata.name": resource.metadata.name,
    "metadata.scope": resource.metadata.scope,
  };
  for (const field of fields) {
    const value = valueAt(resource, field);
    if (value !== undefined && value !== null)
      values[field] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return values;
}

/** Splits at commas that stand outside brackets. */
function splitTerms(text: string): string[] {
  if (text.length > selectorLimit)
    throw new Fault("invalid", "the selector is too long", {
      next: `use at most ${selectorLimit} characters`,
    });
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  if (parts.length === 1 && parts[0] === "") return [];
  return parts;
}

function bad(part: string): Fault {
  return new Fault("invalid", `cannot read ${JSON.stringify(part)} in the selector`, {
    next: "write key=value, key!=value, key in (a,b), key notin (a,b), key or !key, joined by commas",
  });
}
