import fc from "fast-check";
import { expect, test } from "vitest";
import { diff, patched } from "./diff.ts";
import { sameJson } from "./json.ts";
import type { Json } from "./resource.ts";
import { anyJson, related } from "./testing-json.ts";

test("a diff, carried out, leads from one value to the other", () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      expect(sameJson(patched(a, diff(a, b)), b)).toBe(true);
    }),
  );
});

test("a diff is empty exactly when the values are the same", () => {
  fc.assert(fc.property(related, ([a, b]) => (diff(a, b).length === 0) === sameJson(a, b)));
  fc.assert(fc.property(anyJson, (a) => diff(a, structuredClone(a)).length === 0));
});

test("a diff backwards is the same places with before and after exchanged", () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      const there = diff(a, b).map(({ pointer, before, after }) => ({ pointer, before, after }));
      const back = diff(b, a).map(({ pointer, before, after }) => ({
        pointer,
        before: after,
        after: before,
      }));
      expect(back).toEqual(there);
    }),
  );
});

test("a diff names each place once, none inside another, and says truly what was and will be there", () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      const pointers = diff(a, b).map((change) => change.pointer);
      for (const [index, one] of pointers.entries())
        for (const other of pointers.slice(index + 1)) {
          expect(one).not.toBe(other);
          expect(other.startsWith(`${one}/`) || one.startsWith(`${other}/`)).toBe(false);
        }
      for (const { pointer, before, after } of diff(a, b)) {
        expect(sameJson(at(a, pointer), before)).toBe(true);
        expect(sameJson(at(b, pointer), after)).toBe(true);
        expect(sameJson(before, after)).toBe(false);
      }
    }),
  );
});

test("what is added to nothing, or taken away altogether, is one change at the root", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(diff(undefined, value)).toEqual([{ pointer: "", after: value }]);
      expect(diff(value, undefined)).toEqual([{ pointer: "", before: value }]);
      expect(patched(undefined, diff(undefined, value))).toEqual(value);
      expect(patched(value, diff(value, undefined))).toBeUndefined();
    }),
  );
});

test.each<[Json, Json, string]>([
  [{ "a/b": 1 }, { "a/b": 2 }, "/a~1b"],
  [{ "~": 1 }, { "~": 2 }, "/~0"],
  [{ "": { "": 1 } }, { "": { "": 2 } }, "//"],
  [{ "~1": 1 }, {}, "/~01"],
  [{ a: [1, 2] }, { a: [1, 3] }, "/a"],
  [{ a: {} }, { a: [] }, "/a"],
])("from %j to %j is a change at %s", (before, after, pointer) => {
  expect(diff(before, after).map((change) => change.pointer)).toEqual([pointer]);
});

test("a key called __proto__ is data like any other", () => {
  const [a, b] = [JSON.parse('{"__proto__":{"x":1}}') as Json, JSON.parse('{"__proto__":{"x":2}}') as Json];
  expect(diff(a, b)).toEqual([{ pointer: "/__proto__/x", before: 1, after: 2 }]);
  expect(JSON.stringify(patched(a, diff(a, b)))).toBe('{"__proto__":{"x":2}}');
  expect(({} as { x?: number }).x).toBeUndefined();
});

function at(value: Json | undefined, pointer: string): Json | undefined {
  const parts = pointer.split("/").slice(1);
  return parts.reduce<Json | undefined>((inner, part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(inner as object, key) ? (inner as Record<string, Json>)[key] : undefined;
  }, value);
}
