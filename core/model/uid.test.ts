import { afterEach, expect, test, vi } from "vitest";
import { newUid, uidAt } from "./uid.ts";

afterEach(() => void vi.useRealTimers());

test("uids are version 7, and none is made twice", () => {
  const uids = Array.from({ length: 20_000 }, newUid);
  for (const uid of uids)
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(uids).size).toBe(uids.length);
});

test("uids of one process are in the order in which they were made, within a millisecond and when the clock is set back a little", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const uids = Array.from({ length: 10_000 }, newUid);
  vi.setSystemTime(Date.now() - 30_000);
  uids.push(...Array.from({ length: 100 }, newUid));
  vi.setSystemTime(Date.now() + 120_000);
  uids.push(newUid());
  expect(uids).toEqual([...uids].sort());
});

test("a clock that was hours ahead leaves no mark on what is made after it was put right", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const right = Date.now();
  vi.setSystemTime(right + 7_200_000);
  newUid();
  vi.setSystemTime(right);
  expect(newUid() < uidAt(right + 1000)).toBe(true);
});

test("a uid of a given time lies between those of the times before and after it", () => {
  const now = Date.now();
  const uids = [uidAt(now - 1), uidAt(now), uidAt(now + 1)];
  expect(uids).toEqual([...uids].sort());
});
