import { Fault } from "./fault.ts";
import { isObject } from "./json.ts";
import type { Json } from "./resource.ts";

const depthLimit = 64;

/** JSON as CEL wants it: whole numbers are BigInt, and a Map may have a key called `constructor`. */
export function toCel(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isObject(value)) return value;
  return new Map(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, toCel(item)]),
  );
}

/** A CEL value as JSON: times and durations become text; what JSON cannot hold is refused. */
export function fromCel(value: unknown, depth = 0): Json {
  if (depth > depthLimit) throw new Fault("invalid", "its value is nested too deeply");
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return wholeOrFinite(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => fromCel(item, depth + 1));
  if (value instanceof Map) return fromCel(Object.fromEntries(value), depth);
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromCel(item, depth + 1)]));
  if (isNumberLike(value)) return wholeOrFinite(value.value);
  if (isDuration(value)) return String(value);
  throw new Fault("invalid", "its value is neither a text, a number, a list nor a map");
}

function wholeOrFinite(value: number | bigint): number {
  const number = Number(value);
  if (typeof value === "bigint" ? Number.isSafeInteger(number) : Number.isFinite(number)) return number;
  throw new Fault("invalid", "its value is a number too large to be kept");
}

function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const parent = Object.getPrototypeOf(value);
  return parent === Object.prototype || parent === null;
}

/** CEL's unsigned integer. */
function isNumberLike(value: unknown): value is { value: bigint } {
  return typeof (value as { value?: unknown } | undefined)?.value === "bigint";
}

function isDuration(value: unknown): value is { seconds: bigint } {
  return typeof (value as { seconds?: unknown } | undefined)?.seconds === "bigint";
}
