import { type ExpressionScope, evaluator } from "./expression.ts";
import { Fault } from "./fault.ts";
import { isObject } from "./json.ts";
import { escapePointer } from "./name.ts";
import type { Json } from "./resource.ts";

/** A part of a text: as it stands, or a `${{ }}`. */
export type TemplatePart = { readonly text: string } | { readonly expression: string; readonly text: string };

/** `${{ secrets.x }}` and `${{ connections.x.y }}` stay as they are: only the agent's copy of a step ever holds their values. */
export function isSealed(expression: string): boolean {
  return /^(secrets|connections)\./.test(expression);
}

/**
 * Replaces every `${{ }}`. A text that is a single one keeps its value's type. A value that would read as a reference to a secret
 * is refused: whoever gives an input must not be able to ask for secrets with it.
 */
export function fillTemplates<T extends Json>(value: T, scope: ExpressionScope): T {
  const evaluate = evaluator(scope);
  return fill(value) as T;

  function fill(at: Json): Json {
    if (typeof at === "string") return at.includes("${{") ? fillText(at) : at;
    if (Array.isArray(at)) return at.map(fill);
    if (!isObject(at)) return at;
    return Object.fromEntries(Object.entries(at).map(([key, item]) => [key, fill(item)]));
  }

  function fillText(text: string): Json {
    const parts = splitTemplate(text);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && "expression" in only && !isSealed(only.expression))
      return unsealed(evaluate(only.expression), only.expression);
    const filled = parts
      .map((part) =>
        "expression" in part && !isSealed(part.expression) ? inWords(evaluate(part.expression)) : part.text,
      )
      .join("");
    if (seals(filled) > seals(text)) throw smuggled(text);
    return filled;
  }
}

function unsealed(value: Json, expression: string): Json {
  if (typeof value === "string" && seals(value) > 0) throw smuggled(expression);
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, "secretRef")) throw smuggled(expression);
  for (const item of Object.values(value)) unsealed(item, expression);
  return value;
}

function seals(text: string): number {
  return text.match(/\$\{\{\s*(secrets|connections)/g)?.length ?? 0;
}

function smuggled(where: string): Fault {
  const shown = where.length > 120 ? `${where.slice(0, 117)}…` : where;
  return new Fault("invalid", `the value of ${JSON.stringify(shown)} reads as a reference to a secret`, {
    next: "references to secrets stand in definitions only",
  });
}

/** Every `${{ }}` in a value, with the pointer to the text it stands in. */
export function templatesIn(value: unknown, pointer = ""): { pointer: string; expression: string }[] {
  if (typeof value === "string")
    return value.includes("${{")
      ? splitTemplate(value).flatMap((part) =>
          "expression" in part ? [{ pointer, expression: part.expression }] : [],
        )
      : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => templatesIn(item, `${pointer}/${at}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    templatesIn(item, `${pointer}/${escapePointer(key)}`),
  );
}

export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf("${{", at);
    if (start > at || (start === -1 && at < text.length))
      parts.push({ text: text.slice(at, start === -1 ? undefined : start) });
    if (start === -1) return parts;
    const end = endOf(text, start + 3);
    parts.push({ expression: text.slice(start + 3, end).trim(), text: text.slice(start, end + 2) });
    at = end + 2;
  }
}

/** Where the `}}` of an expression stands: not in a quoted text, and not that of a map in a map. */
function endOf(text: string, from: number): number {
  let depth = 0;
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== "") {
      if (sign === "\\") at++;
      else if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "{") depth++;
    else if (sign === "}" && depth > 0) depth--;
    else if (sign === "}" && text.charAt(at + 1) === "}") return at;
  }
  const shown = text.slice(from - 3, from + 40);
  throw new Fault("invalid", `${JSON.stringify(shown)} is never closed`, { next: "write ${{ expression }}" });
}

/** A value inside other text. */
function inWords(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
