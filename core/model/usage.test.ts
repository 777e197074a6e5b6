import fc from "fast-check";
import { expect, test } from "vitest";
import { packUsage, type UsageSeries, unpackUsage, usageMeasures } from "./usage.ts";

const value = fc.oneof(fc.constant(null), fc.nat(), fc.nat({ max: 2 ** 45 }));
const series: fc.Arbitrary<UsageSeries> = fc.nat({ max: 20 }).chain((count) =>
  fc.record({
    name: fc.string({ unit: "grapheme", maxLength: 200 }),
    values: fc.record(
      Object.fromEntries(
        usageMeasures.map((measure) => [measure, fc.array(value, { minLength: count, maxLength: count })]),
      ) as Record<(typeof usageMeasures)[number], fc.Arbitrary<(number | null)[]>>,
    ),
  }),
);

test("what was packed is unpacked as it was", () => {
  fc.assert(
    fc.property(fc.array(series, { maxLength: 5 }), (all) => {
      expect(unpackUsage(packUsage(all))).toEqual(all);
    }),
  );
});

test("a quiet container of five minutes takes few bytes", () => {
  const still = Object.fromEntries(usageMeasures.map((measure) => [measure, Array(20).fill(123_456_789)]));
  expect(packUsage([{ name: "web-web-1", values: still as never }]).length).toBeLessThan(180);
});

test("other bytes are refused, and never read on for ever", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expect(Array.isArray(unpackUsage(bytes))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
  expect(() => unpackUsage(Uint8Array.of(1))).toThrow();
});
