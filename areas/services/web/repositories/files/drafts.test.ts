import { expect, test } from "vitest";
import { noDrafts, rebased, withDraft } from "./drafts.ts";

test("a change is kept with what it was made from, and is none when it was taken back", () => {
  const one = withDraft(noDrafts, "a", { before: "1", after: "2" }, "r1");
  expect(one).toEqual({ base: "r1", files: { a: { before: "1", after: "2" } } });
  // Others have pushed meanwhile: the base stays until somebody has looked at that.
  const two = withDraft(one, "b", { before: undefined, after: "new" }, "r2");
  expect([two.base, Object.keys(two.files)]).toEqual(["r1", ["a", "b"]]);
  expect(withDraft(two, "a", { before: "1", after: "1" }, "r2").files).toEqual({ b: two.files.b });
  expect(withDraft(two, "b", { before: undefined, after: null }, "r2").files).toEqual({ a: two.files.a });
});

test("brought onto another revision, nothing that was typed is lost, and what others did too is no change", () => {
  const drafts = {
    base: "r1",
    files: {
      a: { before: "1", after: "2" },
      b: { before: "1", after: null },
      c: { before: "1", after: "3" },
    },
  };
  expect(rebased(drafts, "r2", { a: "other", c: "3" })).toEqual({
    base: "r2",
    files: { a: { before: "other", after: "2" } },
  });
});
