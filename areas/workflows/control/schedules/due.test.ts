import { expect, test } from "vitest";
import { scheduleSpec } from "../../kinds/schedule.ts";
import { dueTicks } from "./due.ts";

const at = (text: string) => Date.parse(`2026-11-15T${text}Z`);
const hourly = (more: object = {}) => scheduleSpec.parse({ name: "a", cron: "0 * * * *", ...more });

function due(more: object, since: string, now: string): { fire: string[]; leftOut: number } {
  const { fire, leftOut } = dueTicks(hourly(more), at(since), at(now));
  return { fire: fire.map((tick) => new Date(tick).toISOString().slice(11, 16)), leftOut };
}

test("a tick of the last minute is on time, whatever the rule for missed ones", () => {
  for (const catchUp of ["none", "latest", "all"])
    expect(due({ catchUp }, "08:00:00", "08:00:59")).toEqual({ fire: ["08:00"], leftOut: 0 });
});

test("of missed ticks none, the latest or all are fired", () => {
  expect(due({ catchUp: "none" }, "05:00:00", "08:30:00")).toEqual({ fire: [], leftOut: 4 });
  expect(due({ catchUp: "latest" }, "05:00:00", "08:30:00")).toEqual({ fire: ["08:00"], leftOut: 3 });
  expect(due({ catchUp: "all" }, "05:00:00", "08:30:00")).toEqual({
    fire: ["05:00", "06:00", "07:00", "08:00"],
    leftOut: 0,
  });
  // The newest is on time already.
  expect(due({ catchUp: "latest" }, "05:00:00", "08:00:10")).toEqual({ fire: ["08:00"], leftOut: 3 });
});

test("what was missed too long ago is never caught up, and never more than a hundred", () => {
  expect(due({ catchUp: "all", catchUpWithin: "2h" }, "01:00:00", "08:30:00").fire).toEqual([
    "07:00",
    "08:00",
  ]);
  const seconds = dueTicks(hourly({ cron: "* * * * * *", catchUp: "all" }), at("01:00:00"), at("08:00:00"));
  expect(seconds.fire.length).toBe(100 + 61);
  expect(seconds.fire.at(-1)).toBe(at("08:00:00"));
  expect(seconds.next).toBe(at("08:00:01"));
});
