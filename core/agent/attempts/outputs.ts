import { readFileSync, statSync } from "node:fs";
import type { Json, JsonObject } from "@reeve/model";
import { type Finder, hideFound } from "@reeve/model/hidden-text";
import { sharedFinder } from "../finders.ts";

const MOST_OUTPUT_BYTES = 256 * 1024;

export type Outputs =
  | { readonly good: true; readonly outputs?: JsonObject }
  | { readonly good: false; readonly why: string };

/**
 * What the body left in $REEVE_OUTPUTS: one JSON object, or lines `key=value`. Secrets in it are hidden; where it is not known any
 * more what they were, nothing is given back.
 */
export function readOutputs(file: string, hide: readonly string[] | undefined): Outputs {
  let bytes: Buffer;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return { good: true };
    if (found.size > MOST_OUTPUT_BYTES) return tooLarge(found.size);
    bytes = readFileSync(file);
  } catch (error) {
    return bad(`could not be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return parseOutputs(bytes, hide);
}

export function parseOutputs(bytes: Uint8Array, hide: readonly string[] | undefined): Outputs {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bad("are not UTF-8 text");
  }
  if (text.trim() === "") return { good: true };
  if (hide === undefined)
    return bad("are left out: what to hide in them was lost when the host was restarted");
  const parsed = text.trimStart().startsWith("{") ? parseObject(text) : parseLines(text);
  return parsed.good && parsed.outputs ? checkOutputs(parsed.outputs, hide) : parsed;
}

/** Also for what a body inside the agent gives back. */
export function checkOutputs(
  outputs: JsonObject,
  hide: readonly string[],
  most = MOST_OUTPUT_BYTES,
): Outputs {
  const bytes = Buffer.byteLength(JSON.stringify(outputs));
  if (bytes > most) return tooLarge(bytes, most);
  if (holdsZero(outputs)) return bad("hold a zero character, which cannot be stored");
  if (hide.length === 0) return { good: true, outputs };
  return { good: true, outputs: hideIn(outputs, sharedFinder(hide)) as JsonObject };
}

function parseObject(text: string): Outputs {
  try {
    return { good: true, outputs: JSON.parse(text) as JsonObject };
  } catch {
    return bad("begin with { and are not one JSON object");
  }
}

function parseLines(text: string): Outputs {
  const entries: [string, string][] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, key, value = ""] = /^([A-Za-z_][\w-]*)=(.*)$/.exec(line) ?? [];
    if (key === undefined) return bad(`have a line ${at + 1} that is not key=value`);
    entries.push([key, value]);
  }
  return { good: true, outputs: Object.fromEntries(entries) };
}

function tooLarge(bytes: number, most = MOST_OUTPUT_BYTES): Outputs {
  return bad(`are ${bytes} bytes, and ${most} are allowed; keep what is large elsewhere and name the place`);
}

function bad(what: string): Outputs {
  return {
    good: false,
    why: `the outputs ${what} ($REEVE_OUTPUTS takes lines key=value or one JSON object)`,
  };
}

function holdsZero(value: Json): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes("\0") || holdsZero(inner as Json));
}

/** An output goes to the store and to other steps in the clear. */
function hideIn(value: Json, finder: Finder): Json {
  if (typeof value === "string") return hideFound(value, finder);
  if (typeof value === "number") {
    const shown = hideFound(String(value), finder);
    return shown === String(value) ? value : shown;
  }
  if (Array.isArray(value)) return value.map((inner) => hideIn(inner, finder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [hideFound(key, finder), hideIn(inner, finder)]),
  );
}
