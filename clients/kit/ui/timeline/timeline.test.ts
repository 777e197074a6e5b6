import type { PastAttempt, Step } from "@reeve/model";
import { expect, test } from "vitest";
import { timelineOf } from "./bars.ts";
import { ticksOf } from "./scale.ts";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const step = (seq: number, more: Partial<Step>): Step => ({
  ...{ seq, name: `s${seq}`, state: "succeeded", why: "", needs: [], does: "execute", attempt: 1, epoch: 1 },
  ...more,
});
const past = (seq: number, attempt: number, from: number, to: number): PastAttempt => ({
  ...{ seq, attempt, state: "failed", why: "exit code 1", startedAt: at(from), endedAt: at(to) },
});
const shown = (steps: Step[], attempts: PastAttempt[] = []) =>
  timelineOf(steps, attempts).rows.map(({ bars }) =>
    bars.map(
      ({ from, to, what, state }) => `${what} ${state} ${from / 1000}-${to === undefined ? "" : to / 1000}`,
    ),
  );

test("a step waits, is tried, waits again and is tried again", () => {
  const last = step(0, { readyAt: at(1), startedAt: at(8), endedAt: at(9), attempt: 3 });
  expect(shown([last], [past(0, 1, 2, 4), past(0, 2, 5, 6)])).toEqual([
    [
      "waiting ready 1-2",
      "attempt failed 2-4",
      "waiting ready 4-5",
      "attempt failed 5-6",
      "waiting ready 6-8",
      "attempt succeeded 8-9",
    ],
  ]);
});

test("what runs grows, what waits for its next attempt is waiting and not running", () => {
  const running = step(0, { state: "running", readyAt: at(1), startedAt: at(2) });
  const retrying = step(1, {
    state: "waiting",
    reason: "retry",
    readyAt: at(1),
    startedAt: at(2),
    attempt: 1,
  });
  expect(shown([running, retrying], [past(1, 1, 2, 3)])).toEqual([
    ["waiting ready 1-2", "attempt running 2-"],
    ["waiting ready 1-2", "attempt failed 2-3", "waiting waiting 3-"],
  ]);
  expect(timelineOf([running], []).to).toBeUndefined();
});

test("items stand below their fan-out, what never began has no bars, and the whole has a beginning and an end", () => {
  const fan = step(1, { readyAt: at(7), startedAt: at(7), endedAt: at(7) });
  const item = step(2_000_000, { parent: 1, readyAt: at(3), startedAt: at(4), endedAt: at(7) });
  const skipped = step(2, { state: "skipped", endedAt: at(7) });
  const first = step(0, { readyAt: at(1), startedAt: at(1), endedAt: at(3) });
  const timeline = timelineOf([skipped, item, fan, first], []);
  expect(timeline.rows.map(({ name, isItem, bars }) => [name, isItem, bars.length])).toEqual([
    ["s0", false, 1],
    ["s1", false, 1],
    ["s2000000", true, 2],
    ["s2", false, 0],
  ]);
  expect(timeline.rows[1]?.bars[0]).toMatchObject({ from: 4000, to: 7000 });
  expect([timeline.from, timeline.to]).toEqual([1000, 7000]);
});

test("an axis has marks at round times", () => {
  expect(ticksOf(95_000, 5).map(({ label }) => label)).toEqual(["0", "30s", "1m", "1m 30s"]);
  expect(ticksOf(450, 6).map(({ label }) => label)).toEqual(["0", "100ms", "200ms", "300ms", "400ms"]);
  expect(ticksOf(2_500, 6).map(({ label }) => label)).toEqual(["0", "500ms", "1s", "1.5s", "2s", "2.5s"]);
});
