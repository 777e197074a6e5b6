import { expect, test } from "vitest";
import { plainTime } from "./sql.ts";

test.each([
  "2026-11-16 08:07:41+00",
  "2026-11-16 08:07:41.5+00",
  "2026-11-16 08:07:41.123999+00",
  "2026-11-16T08:07:41.12+00:00",
  "1969-12-31 23:59:59.999+00",
  "2026-11-16 13:37:41.123+05:30",
  "2026-11-16 00:07:41.123-08",
])("%s is told as a Date would tell it", (text) => {
  expect(plainTime(text)).toBe(new Date(text).toISOString());
});

test("what is no time is not told as one", () => {
  expect(() => plainTime("infinity")).toThrow(RangeError);
});
