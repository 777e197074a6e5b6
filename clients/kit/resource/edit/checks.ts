import type { FieldError, JsonObject } from "@reeve/model";
import { isObject, type Json } from "@reeve/model";
import { readDraft } from "@reeve/model/yaml";
import { check } from "../../ui/schema/check.ts";
import type { SchemaAt } from "../../ui/schema/schema.ts";
import type { Problem } from "../../ui/yaml/editor.tsx";

/** A text that somebody is writing, and all that can be known of it without asking the server. */
export interface Reading {
  readonly text: string;
  /** What it says; undefined when it is no YAML, or not of this shape at all. */
  readonly value: JsonObject | undefined;
  readonly errors: readonly FieldError[];
  readonly problems: readonly Problem[];
}

export function readText(text: string, schema: SchemaAt): Reading {
  const { value, troubles } = readDraft(text);
  if (troubles.length > 0) {
    const problems = troubles.map((one) => ({ ...one, message: plainly(one.message) }));
    return { text, value: undefined, errors: [], problems };
  }
  if (!isObject(value as Json)) {
    const message = "write the fields of a resource: apiVersion, kind, metadata, spec";
    return { text, value: undefined, errors: [], problems: [{ from: 0, to: text.length, message }] };
  }
  const errors = check(schema, value as Json);
  return { text, value: value as JsonObject, errors, problems: placed(text, errors) };
}

/** The parser's words for what people get wrong most, in words of ours. */
function plainly(message: string): string {
  if (/^Map keys must be unique/.test(message)) return "this key stands here twice";
  if (/^Implicit map keys need/.test(message)) return "write a colon and a value after this key";
  if (/^All .* must start at the same column|^Nested mappings/.test(message))
    return "this line is indented too far or not far enough";
  return message;
}

/** Errors at their places in the text. */
export function placed(text: string, errors: readonly FieldError[]): Problem[] {
  const draft = readDraft(text);
  return errors.map(({ pointer, message }) => ({
    ...draft.stretch(pointer),
    message: named(pointer, message),
  }));
}

/** What is missing has no place of its own, so the message names it. */
function named(pointer: string, message: string): string {
  const key = pointer.split("/").at(-1);
  return key === undefined || key === "" || /^\d+$/.test(key) ? message : `${key}: ${message}`;
}

/** `line 7, column 3`, as the editor counts them. */
export function placeText(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
