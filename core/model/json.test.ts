import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, mergePatch, sameJson, valueAt } from "./json.ts";
import type { Json } from "./resource.ts";
import { anyJson, anyObject, related } from "./testing-json.ts";

/** RFC 7396, section 2, word for word. */
function reference(target: Json | undefined, patch: Json): Json {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  let entries = Object.entries(base);
  for (const [name, value] of Object.entries(patch)) {
    const before = entries.find(([key]) => key === name)?.[1];
    const kept = entries.filter(([key]) => key !== name);
    entries = value === null ? kept : [...kept, [name, reference(before, value)]];
  }
  return Object.fromEntries(entries);
}

test("a merge patch does what RFC 7396 says", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (target, patch) =>
      sameJson(mergePatch(target, patch), reference(target, patch)),
    ),
  );
  fc.assert(
    fc.property(related, ([target, patch]) => sameJson(mergePatch(target, patch), reference(target, patch))),
  );
});

test.each<[Json, Json, Json]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("the RFC's own example: %j patched by %j is %j", (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected);
});

test("a merge patch changes neither its target nor itself, and twice is once", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (target, patch) => {
      const copies = [structuredClone(target), structuredClone(patch)];
      const once = mergePatch(target, patch);
      expect(sameJson([target, patch], copies)).toBe(true);
      expect(sameJson(mergePatch(once, patch), once)).toBe(true);
    }),
  );
});

test("equality is that of JSON: keys in any order, and nothing inherited", () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      const same = isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
      expect(sameJson(a, b)).toBe(same);
      expect(sameJson(b, a)).toBe(same);
    }),
  );
  expect(sameJson({ constructor: 1 }, { toString: 1 })).toBe(false);
  expect(sameJson({ a: undefined }, { b: undefined })).toBe(false);
  expect(sameJson([], {})).toBe(false);
  expect(sameJson(null, {})).toBe(false);
  expect(isObject([])).toBe(false);
});

test("a path follows own properties only", () => {
  expect(valueAt({ spec: { a: { b: 1 } } }, "spec.a.b")).toBe(1);
  for (const path of ["spec.constructor", "spec.a.b.c", "toString", "__proto__", "spec.__proto__.x", ""])
    expect(valueAt({ spec: { a: { b: 1 } } }, path), path).toBeUndefined();
});
