import { expect, test } from "vitest";
import { staleFiles } from "./stale.ts";

test("files that are as they should be are not mentioned", () => {
  expect(staleFiles(new Map([["a", "1\n"]]), new Map([["a", "1\n"]]))).toEqual([]);
});

test("a changed, a missing and a leftover file are each named with what is wrong", () => {
  const made = new Map([
    ["b", "1\n2\n3\n"],
    ["c", "1\n"],
  ]);
  const present = new Map([
    ["a", "old\n"],
    ["b", "1\n2\n4\n"],
  ]);
  expect(staleFiles(made, present)).toEqual([
    { file: "a", why: "nothing makes it any more" },
    { file: "b", why: "is out of date at line 3" },
    { file: "c", why: "is missing" },
  ]);
});

test("lines that were added at the end count as a difference", () => {
  expect(staleFiles(new Map([["a", "1\n"]]), new Map([["a", "1\n2\n"]]))).toMatchObject([
    { why: "is out of date at line 2" },
  ]);
  expect(staleFiles(new Map([["a", "1\n"]]), new Map([["a", "1"]]))).toMatchObject([{ file: "a" }]);
});
