import { expect, test } from "vitest";
import { ordered, toggled } from "./order.ts";

const rows = [{ name: "b10", size: 2 }, { name: "b2" }, { name: "a", size: 10 }];
const columns = [
  { key: "name", by: (row: (typeof rows)[number]) => row.name },
  { key: "size", by: (row: (typeof rows)[number]) => row.size },
];
const names = (order?: string) => ordered(rows, columns, order).map((row) => row.name);

test("numbers in words count as numbers, and what has no value comes last either way", () => {
  expect(names("name")).toEqual(["a", "b2", "b10"]);
  expect(names("-name")).toEqual(["b10", "b2", "a"]);
  expect(names("size")).toEqual(["b10", "a", "b2"]);
  expect(names("-size")).toEqual(["a", "b10", "b2"]);
});

test("without an order, or by a column that is not there, rows stay as they come", () => {
  expect(names()).toEqual(["b10", "b2", "a"]);
  expect(names("other")).toEqual(["b10", "b2", "a"]);
  expect([toggled("name", undefined), toggled("name", "name"), toggled("name", "-name")]).toEqual([
    "name",
    "-name",
    "name",
  ]);
});
