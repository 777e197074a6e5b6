import fc from "fast-check";
import { expect, test } from "vitest";
import { tableLines } from "./table.ts";
import { displayWidth, truncate } from "./width.ts";

test("columns are as wide as their widest cell", () => {
  expect(
    tableLines(
      ["Name", "State"],
      [
        ["ci", "active"],
        ["deployer", "disabled"],
      ],
    ),
  ).toEqual(["NAME      STATE", "ci        active", "deployer  disabled"]);
});

test("the widest column gives way, the first keeps its names", () => {
  const long = "x".repeat(100);
  const lines = tableLines(["Name", "Description", "Age"], [["n".repeat(40), long, "5m"]], 80);
  expect(lines[1]).toBe(`${"n".repeat(40)}  ${"x".repeat(32)}…  5m`);
});

test("no line is wider than the terminal, as long as each column can keep eight characters", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", " ", "é", "日", "😀"), maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 5 }),
      fc.integer({ min: 28, max: 120 }),
      (rows, width) => {
        for (const line of tableLines(["a", "b", "c"], rows, width))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test("escape codes and line ends in data do not reach the terminal", () => {
  expect(tableLines(["a"], [["x\u001b[2Jy\nz"]])).toEqual(["A", "x [2Jy z"]);
});

test("a double-width character is not cut in half", () => {
  expect(truncate("日本語", 4)).toBe("日…");
});
