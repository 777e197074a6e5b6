import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff, withContext } from "./line-diff.ts";

const someLines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 20 });

test("taking one sign away gives back either text", () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const lines = lineDiff(before, after);
      expect(lines.filter((line) => line.sign !== "+").map((line) => line.text)).toEqual(before);
      expect(lines.filter((line) => line.sign !== "-").map((line) => line.text)).toEqual(after);
    }),
  );
});

test("a changed line among many shows alone, with its surroundings", () => {
  const before = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const after = before.with(25, "changed");
  const shown = withContext(lineDiff(before, after), 1);
  expect(shown.map((line) => (line === "…" ? line : line.sign + line.text))).toEqual([
    "…",
    " line 24",
    "-line 25",
    "+changed",
    " line 26",
    "…",
  ]);
});
