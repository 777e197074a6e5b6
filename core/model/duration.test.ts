import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration, showDuration } from "./duration.ts";

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const part = fc.tuple(
  fc.nat({ max: 999_999_999 }),
  fc.constantFrom("s", "m", "h", "d") as fc.Arbitrary<keyof typeof unitMs>,
);

test("a duration is the sum of its parts", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const text = parts.map(([count, unit]) => `${count}${unit}`).join("");
      expect(parseDuration(text)).toBe(parts.reduce((sum, [count, unit]) => sum + count * unitMs[unit], 0));
    }),
  );
});

test.each([
  "",
  "5",
  "s",
  "5 s",
  " 5s",
  "5s ",
  "-5s",
  "+5s",
  "1.5h",
  "5S",
  "5ms",
  "5w",
  "1h-5m",
  "1e3s",
  "9999999999s",
  "5s\n",
  "٣s",
])("%j is no duration, and the answer says how to write one", (text) => {
  expect(() => parseDuration(text)).toThrow(
    expect.objectContaining({ kind: "invalid", next: expect.stringContaining("15m") }),
  );
});

test("any text is a duration made of parts or refused", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.constantFrom("1", "0", "s", "m", "d", " ", "-")).map((list) => list.join("")),
      ),
      (text) => {
        const fine = /^(\d{1,9}[smhd])+$/.test(text);
        if (fine) expect(parseDuration(text)).toBeGreaterThanOrEqual(0);
        else expect(() => parseDuration(text)).toThrow("is not a duration");
      },
    ),
  );
});

test("what is shown of an age can be read again and is no more than half a unit off", () => {
  fc.assert(
    fc.property(fc.nat({ max: 400 * 86_400_000 }), (ms) => {
      const shown = showDuration(ms);
      const unit = unitMs[shown.at(-1) as keyof typeof unitMs];
      expect(Math.abs(parseDuration(shown) - ms)).toBeLessThanOrEqual(unit / 2);
      expect(shown.length).toBeLessThanOrEqual(4);
    }),
  );
  expect(showDuration(-5000)).toBe("0s");
});
