import { LogStream } from "@reeve/protocol/agent";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openHolding } from "./holding.ts";
import type { Lane } from "./lane.ts";

const key = { run: "r", seq: 1, epoch: 1 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

function opened() {
  const told: boolean[] = [];
  const lane = (stream: LogStream) => ({ key, stream, aheadBytes: 0, unshippedBytes: 1 });
  const [out, err] = [lane(LogStream.STDOUT), lane(LogStream.STDERR)];
  const holding = openHolding(
    () => [out, err] as unknown as Lane[],
    100,
    (_, held) => told.push(held),
  );
  holding.tend();
  return { told, out, err, holding };
}

test("a body waits when one of its streams is too far ahead, and goes on when both have come down to half of that", () => {
  const { told, out, err } = opened();
  [out.aheadBytes, err.aheadBytes] = [100, 100];
  vi.advanceTimersByTime(100);
  expect(told).toEqual([]);
  [out.aheadBytes, err.aheadBytes] = [101, 101];
  vi.advanceTimersByTime(100);
  expect(told).toEqual([true]);
  [out.aheadBytes, err.aheadBytes] = [60, 10];
  vi.advanceTimersByTime(100);
  expect(told).toEqual([true]);
  out.aheadBytes = 50;
  vi.advanceTimersByTime(100);
  expect(told).toEqual([true, false]);
});

test("a flood waits from its beginning, and not for a control plane that takes nothing", () => {
  const { told, out, holding } = opened();
  out.aheadBytes = 1000;
  vi.advanceTimersByTime(100);
  expect(told).toEqual([true]);
  vi.advanceTimersByTime(6000);
  expect(told).toEqual([true, false]);
  holding.heard();
  vi.advanceTimersByTime(100);
  expect(told).toEqual([true, false, true]);
});

test("everybody goes on when shipping ends, and what is shipped is not looked at", () => {
  const { told, out, err, holding } = opened();
  out.aheadBytes = 1000;
  vi.advanceTimersByTime(100);
  holding.release();
  expect(told).toEqual([true, false]);
  [out.unshippedBytes, err.unshippedBytes] = [0, 0];
  holding.tend();
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
});
