import { expect, test } from "vitest";
import { base32, codeAt, newSeed, seedLink, seedPattern, stepOf } from "./totp.ts";

/** RFC 6238, appendix B: the last six of its eight digits. */
const rfcSeed = base32(Buffer.from("12345678901234567890"));
const rfcCodes = { 59: "287082", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130" };

test("codes are those of RFC 6238", () => {
  for (const [seconds, code] of Object.entries(rfcCodes))
    expect(codeAt(rfcSeed, Math.floor(Number(seconds) / 30))).toBe(code);
});

test("a code counts in its own half minute and in the ones beside it, and never twice", () => {
  const seed = newSeed();
  const now = 1_800_000_015_000;
  const step = now / 30_000 - 0.5;
  for (const off of [-1, 0, 1]) expect(stepOf(seed, codeAt(seed, step + off), 0, now)).toBe(step + off);
  for (const off of [-2, 2]) expect(stepOf(seed, codeAt(seed, step + off), 0, now)).toBeUndefined();
  expect(stepOf(seed, codeAt(seed, step), step - 1, now)).toBe(step);
  expect(stepOf(seed, codeAt(seed, step), step, now)).toBeUndefined();
  expect(stepOf(seed, codeAt(seed, step - 1), step, now)).toBeUndefined();
});

test("a seed has 160 bits, and its link says whose it is", () => {
  expect(newSeed()).toMatch(seedPattern);
  expect(newSeed()).not.toBe(newSeed());
  const link = new URL(seedLink(rfcSeed, "ada", "reeve.example.com"));
  expect(decodeURIComponent(link.pathname)).toBe("/Reeve (reeve.example.com):ada");
  expect(link.searchParams.get("secret")).toBe(rfcSeed);
});
