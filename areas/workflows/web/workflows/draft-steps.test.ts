import { expect, test } from "vitest";
import { draftSteps } from "./draft-steps.ts";

const stepsOf = (...steps: unknown[]) => draftSteps({ spec: { steps } });
const seen = (...steps: unknown[]) => stepsOf(...steps).map(({ name, needs }) => [name, ...needs]);

test("a list of steps is a chain, a cleanup stands after all, and what needs more is drawn so", () => {
  expect(
    seen(
      { name: "a", run: "true" },
      { name: "tidy", run: "true", cleanup: true },
      { name: "b", run: "true" },
      { name: "c", run: "true", needs: ["a"] },
    ),
  ).toEqual([["a"], ["b", 0], ["c", 0], ["tidy", 0, 2, 3]]);
});

test("what a step does is told apart", () => {
  const steps = stepsOf(
    { name: "a", python: "x = 1", each: [1, 2] },
    { name: "b", workflow: { name: "other" } },
    { name: "c", approve: "sure?" },
    { name: "d", wait: "5m" },
  );
  expect(steps.map(({ does, fanOut }) => [does, fanOut])).toEqual([
    ["execute", true],
    ["run", false],
    ["approve", false],
    ["wait", false],
  ]);
});

test("half a text has half a graph", () => {
  expect(draftSteps(undefined)).toEqual([]);
  expect(draftSteps({ spec: { steps: "soon" } })).toEqual([]);
  expect(seen({ name: "a", run: "true" }, null, { run: "true", needs: ["nobody"] })).toEqual([
    ["a"],
    ["step 2", 0],
    ["step 3"],
  ]);
});

test("a circle is shown without what closes it", () => {
  expect(seen({ name: "a" }, { name: "b", needs: ["a", "c"] }, { name: "c", needs: ["b"] })).toEqual([
    ["a"],
    ["b", 0],
    ["c"],
  ]);
});
