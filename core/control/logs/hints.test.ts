import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openHints } from "./hints.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first output is told at once, what comes soon after it together, and then there is silence", () => {
  const told: (readonly string[])[] = [];
  const hint = openHints((runs) => told.push(runs));
  hint(new Set(["a"]));
  expect(told).toEqual([["a"]]);
  for (let times = 0; times < 1000; times++) hint(new Set(["a", "b"]));
  expect(told).toEqual([["a"]]);
  vi.runAllTimers();
  expect(told).toEqual([["a"], ["a", "b"]]);
  expect(vi.getTimerCount()).toBe(0);
  hint(new Set(["c"]));
  expect(told.at(-1)).toEqual(["c"]);
});
