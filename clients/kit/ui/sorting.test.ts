import { expect, test } from "vitest";
import { sortRows } from "./sorting.ts";

test("names with numbers sort by the number, and what has no value comes last both ways", () => {
  const rows = ["b", "a10", undefined, "a2"];
  expect(sortRows(rows, (row) => row, false)).toEqual(["a2", "a10", "b", undefined]);
  expect(sortRows(rows, (row) => row, true)).toEqual(["b", "a10", "a2", undefined]);
});
