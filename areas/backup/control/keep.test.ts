import fc from "fast-check";
import { expect, test } from "vitest";
import { type Candidate, kept } from "./keep.ts";

const now = Date.parse("2026-11-15T12:00:00Z"); // a Sunday
const taken = (name: string, takenAt: string, good = true): Candidate => ({ name, takenAt, good });

test("the last good backup of each of the newest days and weeks stays, the others go", () => {
  const all = [
    taken("today", "2026-11-15T11:00:00Z"),
    taken("yesterday-late", "2026-11-14T11:00:00Z"),
    taken("yesterday-early", "2026-11-14T03:00:00Z"),
    taken("friday", "2026-11-13T03:00:00Z"),
    taken("week-before", "2026-11-08T03:00:00Z"),
    taken("two-weeks-before", "2026-11-01T03:00:00Z"),
    taken("three-weeks-before", "2026-10-25T03:00:00Z"),
  ];
  expect(kept(all, { daily: 2, weekly: 3 }, now)).toEqual(
    new Set(["today", "yesterday-late", "week-before", "two-weeks-before"]),
  );
});

test("a bad backup never pushes a good one out, and stays until a newer one is good", () => {
  const good = taken("good", "2026-09-01T00:00:00Z");
  const bad = taken("bad", "2026-11-10T00:00:00Z", false);
  expect(kept([bad, good], { daily: 1, weekly: 1 }, now)).toEqual(new Set(["good", "bad"]));
  const better = taken("better", "2026-11-11T00:00:00Z");
  expect(kept([bad, good, better], { daily: 1, weekly: 1 }, now)).toEqual(new Set(["better"]));
});

test("the newest good backup and everything of the last day stay, whatever the rule", () => {
  const candidate = fc.record({
    takenAt: fc.integer({ min: now - 90 * 86_400_000, max: now }).map((at) => new Date(at).toISOString()),
    good: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(candidate, { minLength: 1 }),
      fc.nat({ max: 5 }),
      fc.nat({ max: 5 }),
      (found, daily, weekly) => {
        const all = found.map((one, index) => ({ ...one, name: `b${index}` }));
        const stays = kept(all, { daily, weekly }, now);
        const good = all.filter((one) => one.good).map((one) => Date.parse(one.takenAt));
        const newest = all.filter((one) => one.good && Date.parse(one.takenAt) === Math.max(...good));
        for (const one of newest) expect(stays).toContain(one.name);
        for (const one of all)
          if (Date.parse(one.takenAt) > now - 86_400_000) expect(stays).toContain(one.name);
        const old = all.filter((one) => one.good && Date.parse(one.takenAt) <= now - 86_400_000);
        expect(old.filter((one) => stays.has(one.name)).length).toBeLessThanOrEqual(
          daily + weekly + newest.length,
        );
      },
    ),
  );
});
