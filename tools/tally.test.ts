import { describe, expect, test } from "vitest";
import { type Outcome, type Run, tally } from "./tally.ts";

const passed: Outcome = { name: "adds", state: "passed" };
const excused: Outcome = {
  name: "watch > sees",
  state: "skipped",
  excuse: { suite: "watch over a system PostgreSQL", missing: ["postgresql"] },
};
const run = (outcomes: Outcome[], more: Partial<Run> = {}) =>
  tally({ outcomes, otherFailures: 0, ci: false, chosenByName: false, ...more });

describe("the closing line", () => {
  test("counts what passed and failed, and is good when nothing failed", () => {
    expect(run([passed, passed])).toMatchObject({ lines: ["2 passed, 0 failed"], good: true });
    expect(run([passed, { name: "x", state: "failed" }])).toMatchObject({
      lines: ["1 passed, 1 failed"],
      good: false,
    });
  });

  test("counts as failed what never ended and what belongs to no test", () => {
    expect(run([passed, { name: "x", state: "pending" }], { otherFailures: 2 })).toMatchObject({
      lines: ["1 passed, 3 failed"],
      good: false,
    });
  });

  test("is not good when no test ran", () => {
    expect(run([])).toMatchObject({ lines: ["no test ran", "0 passed, 0 failed"], good: false });
    expect(run([excused]).good).toBe(false);
  });
});

describe("a suite whose component is missing", () => {
  const notRun = "not run: watch over a system PostgreSQL: needs postgresql; apt-get install -y postgresql";

  test("is named once, with the command that provides it", () => {
    expect(run([passed, excused, excused])).toMatchObject({
      lines: [notRun, "1 passed, 0 failed, 2 skipped"],
      good: true,
    });
  });

  test("is a failure in CI", () => {
    const { lines, good } = run([passed, excused], { ci: true });
    expect(lines).toEqual([notRun, "in CI a test that did not run counts as failed", "1 passed, 1 failed"]);
    expect(good).toBe(false);
  });
});

describe("a skip without a declared component", () => {
  const skipped: Outcome = { name: "later", state: "skipped" };

  test("is named, and a failure in CI", () => {
    expect(run([passed, skipped]).lines).toEqual([
      "skipped without a declared component: later",
      "1 passed, 0 failed, 1 skipped",
    ]);
    expect(run([passed, skipped], { ci: true })).toMatchObject({ failed: 1, good: false });
  });

  test("is on purpose where tests were chosen by name", () => {
    expect(run([passed, skipped], { chosenByName: true, ci: true })).toMatchObject({
      lines: ["1 passed, 0 failed, 1 skipped"],
      good: true,
    });
  });
});
