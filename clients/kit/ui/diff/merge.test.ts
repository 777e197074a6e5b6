import { sameJson } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { merge } from "./merge.ts";

const base = { size: 1, tags: ["a"], retry: { times: 3 }, note: "old" };

test("changes at different places come together without a question", () => {
  const told = merge(base, { ...base, size: 2 }, { ...base, note: "new", retry: { times: 3, delay: "1s" } });
  expect(told.clashes).toEqual([]);
  expect(told.merged).toEqual({ size: 2, tags: ["a"], retry: { times: 3, delay: "1s" }, note: "new" });
  expect(told.theirs.map((change) => change.pointer)).toEqual(["/note", "/retry/delay"]);
});

test("the same place changed in two ways is a clash; in the same way it is none", () => {
  const told = merge(base, { ...base, tags: ["a", "b"], size: 5 }, { ...base, tags: [], size: 5 });
  expect(told.clashes).toEqual([{ pointer: "/tags", base: ["a"], mine: ["a", "b"], theirs: [] }]);
  expect(told.merged).toEqual({ ...base, tags: ["a", "b"], size: 5 });
});

test("what one removed and the other changed within is a clash", () => {
  const { retry: _, ...without } = base;
  const told = merge(base, without, { ...base, retry: { times: 9 } });
  expect(told.clashes).toEqual([{ pointer: "/retry", base: { times: 3 }, theirs: { times: 9 } }]);
});

test("whoever changed nothing gets the other's, and whoever is alone keeps their own", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<never>;
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(sameJson(merge(one, one, other).merged, other)).toBe(true);
      expect(sameJson(merge(one, other, one).merged, other)).toBe(true);
      expect(merge(one, other, one).clashes).toEqual([]);
    }),
  );
});
