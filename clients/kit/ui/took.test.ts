import { expect, test } from "vitest";
import { tookText } from "./took.ts";

test("what took long is told in its two largest units", () => {
  const cases = {
    0: "0.0s",
    480: "0.4s",
    12900: "12s",
    60000: "1m",
    200000: "3m 20s",
    7500000: "2h 5m",
    273600000: "3d 4h",
  };
  for (const [ms, text] of Object.entries(cases)) expect(tookText(Number(ms))).toBe(text);
});
