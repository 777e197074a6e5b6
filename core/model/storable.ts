import type { FieldError } from "./fault.ts";
import { escapePointer } from "./name.ts";

const depthLimit = 40;

/**
 * The first thing in a value that the database could not keep as it is, or undefined. Postgres refuses NUL and lone
 * surrogates in JSON, and a number beyond the range of a double would silently become null: all are named, not lost.
 */
export function unstorable(value: unknown, depth = 0): FieldError | undefined {
  if (typeof value === "string") return wrongText(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? undefined : { pointer: "", message: "the number is too large" };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= depthLimit) return { pointer: "", message: `nested deeper than ${depthLimit} levels` };
  for (const [key, item] of Object.entries(value)) {
    const found = wrongText(key) ?? unstorable(item, depth + 1);
    if (found !== undefined) return { ...found, pointer: `/${escapePointer(key)}${found.pointer}` };
  }
  return undefined;
}

function wrongText(text: string): FieldError | undefined {
  if (text.includes("\0")) return { pointer: "", message: "the text holds a NUL character" };
  if (!text.isWellFormed())
    return { pointer: "", message: "the text is not valid Unicode (half of a surrogate pair)" };
  return undefined;
}
