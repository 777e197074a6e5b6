import type { Run, Step, StepState } from "@reeve/model";
import { expect, test } from "vitest";
import { displayWidth } from "../output/width.ts";
import { itemWords, treeLines } from "./tree.ts";
import { headOf, stateWords, took } from "./words.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const run = {
  id: "01980000-0000-7000-8000-0000deadbeef",
  about: { kind: "Workflow", name: "etl", uid: "", generation: 1 },
  state: "running",
  why: "",
  paused: false,
  cancelling: false,
  startedAt: "2026-01-01T00:00:18Z",
} as unknown as Run;

function step(seq: number, state: StepState, more: Partial<Step> = {}): Step {
  return {
    seq,
    name: `step-${seq}`,
    state,
    why: "",
    needs: [],
    does: "execute",
    attempt: 1,
    epoch: 1,
    ...more,
  };
}

const texts = (steps: readonly Step[], size = { width: 80, height: 100 }) =>
  treeLines(run, steps, size, now).map(({ text }) => text);

test("a line says how long a step took, where it runs, or what it waits for", () => {
  expect(headOf(run, now)).toBe("etl deadbeef  running  42s");
  expect(
    texts([
      step(0, "succeeded", { startedAt: "2026-01-01T00:00:18Z", endedAt: "2026-01-01T00:00:18.800Z" }),
      step(1, "running", { startedAt: "2026-01-01T00:00:20Z", host: "home", attempt: 2 }),
      step(2, "waiting", { items: { succeeded: 36, failed: 1, running: 3, ready: 160 } }),
      step(3, "blocked", { why: "waits for step-2" }),
    ]),
  ).toEqual([
    "✓ step-0    0.8s",
    "● step-1    40s, attempt 2, on home",
    "◌ step-2    37/200, 3 running, 1 failed",
    "○ step-3    waits for step-2",
  ]);
});

test("of a fan-out a few items are shown: those that run, wait or failed", () => {
  const items = Array.from({ length: 50 }, (_, at) =>
    step(1_000_000 + at, at % 2 ? "failed" : "succeeded", { parent: 0, name: `step-0[${at}]` }),
  );
  const lines = texts([step(0, "waiting", { items: { failed: 25, succeeded: 25 } }), ...items]);
  expect(lines).toHaveLength(6);
  expect(lines[1]).toContain("✗ step-0[1]");
});

test("a tree is never higher or wider than its room, and says what it leaves out", () => {
  const steps = Array.from({ length: 300 }, (_, at) =>
    step(at, at < 100 ? "succeeded" : at < 103 ? "running" : at === 103 ? "failed" : "blocked", {
      why: "a reason that goes on and on and on and on and on and on and on and on and on and on",
    }),
  );
  for (const height of [3, 10, 24]) {
    const lines = texts(steps, { width: 60, height });
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(60);
  }
  const lines = texts(steps, { width: 60, height: 10 });
  expect(lines.join("\n")).toMatch(/✓ 100 more that have succeeded/);
  expect(lines.filter((line) => line.startsWith("●"))).toHaveLength(3);
  expect(lines.filter((line) => line.startsWith("✗"))).toHaveLength(1);
});

test("words for people", () => {
  expect(itemWords({ ready: 5 })).toBe("0/5");
  expect(took(undefined, undefined, now)).toBe("");
  expect(took("2026-01-01T00:00:00Z", "2026-01-01T00:00:09.949Z", now)).toBe("9.9s");
  expect(stateWords({ state: "running", paused: true, cancelling: false })).toBe("paused");
  expect(stateWords({ state: "running", paused: true, cancelling: true })).toBe("cancelling");
});
