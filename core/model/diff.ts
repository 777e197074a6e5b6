import { isObject, sameJson } from "./json.ts";
import { escapePointer } from "./name.ts";
import type { Json } from "./resource.ts";

/** One difference between two JSON values, at a JSON pointer. A missing side means added or removed. */
export interface Change {
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** What must change to get from `before` to `after`, smallest places first; empty when they are equal. */
export function diff(before: Json | undefined, after: Json | undefined, pointer = ""): Change[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => diff(own(before, key), own(after, key), `${pointer}/${escapePointer(key)}`));
  }
  return [
    { pointer, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) },
  ];
}

/** Carries a diff out: `patched(a, diff(a, b))` equals `b`. */
export function patched(before: Json | undefined, changes: readonly Change[]): Json | undefined {
  let result = before === undefined ? undefined : structuredClone(before);
  for (const change of changes) result = withChange(result, change.pointer.split("/").slice(1), change.after);
  return result;
}

function withChange(
  target: Json | undefined,
  path: readonly string[],
  value: Json | undefined,
): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const key = head.replaceAll("~1", "/").replaceAll("~0", "~");
  const entries = new Map(isObject(target) ? Object.entries(target) : []);
  const next = withChange(entries.get(key), rest, value);
  if (next === undefined) entries.delete(key);
  else entries.set(key, next);
  return Object.fromEntries(entries);
}

function own(object: { [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
