import { lineDiff } from "@reeve/model";
import { expect, test } from "vitest";
import { folded, numbered } from "./fold.ts";

const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const lines = numbered(lineDiff(before, before.with(9, "changed")));
const shown = (open: readonly number[]) =>
  folded(lines, new Set(open), 1).map((part) =>
    "hidden" in part ? `… ${part.hidden}` : part.sign + part.text,
  );

test("what stays the same is hidden, except around a change and where somebody looked", () => {
  const middle = [" line 9", "-line 10", "+changed", " line 11"];
  expect(shown([])).toEqual(["… 8", ...middle, "… 9"]);
  expect(shown([0])).toEqual([...before.slice(0, 8).map((line) => ` ${line}`), ...middle, "… 9"]);
});

test("lines have the numbers of the sides that they are on", () => {
  const changed = lines.filter((line) => line.sign !== " ");
  expect(changed.map(({ before, after }) => [before, after])).toEqual([
    [10, undefined],
    [undefined, 10],
  ]);
});
