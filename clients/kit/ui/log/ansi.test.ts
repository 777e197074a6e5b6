import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiSpans, highlight } from "./ansi.ts";

const esc = "\u001b[";

test("colours and weights become looks, and end where they end", () => {
  expect(ansiSpans(`a${esc}1;31mred${esc}22mthin${esc}0mb`)).toEqual([
    { text: "a" },
    { text: "red", bold: true, color: 1 },
    { text: "thin", color: 1 },
    { text: "b" },
  ]);
  expect(ansiSpans(`${esc}92mx${esc}48;5;208my${esc}38;2;1;2;255;4mz`)).toEqual([
    { text: "x", color: 10 },
    { text: "y", color: 10, background: "#ff8700" },
    { text: "z", color: "#0102ff", background: "#ff8700", underline: true },
  ]);
});

test("what steers a terminal is dropped, and an overwritten line shows its last state", () => {
  expect(ansiSpans(`${esc}2J${esc}1;1Hhome\u001b]0;title\u0007!\u0007\u001b(B`)).toEqual([
    { text: "home" },
    { text: "!" },
  ]);
  expect(ansiSpans("10%\r50%\r100%\r")).toEqual([{ text: "100%" }]);
  expect(ansiSpans("")).toEqual([]);
});

test("whatever the bytes, the text that is left holds no control character, and highlighting changes none of it", () => {
  const line = fc
    .array(fc.constantFrom("a", "B", "é", "\u001b[", "\u001b]", "31", "m", ";", "\u0007", "\r", "\t", "["))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(line, fc.string({ minLength: 1, maxLength: 2 }), (text, sought) => {
      const spans = ansiSpans(text);
      const plain = spans.map((span) => span.text).join("");
      expect(plain).toMatch(/^[^\p{Cc}]*(?:\t[^\p{Cc}]*)*$/u);
      expect(
        highlight(spans, sought)
          .map((span) => span.text)
          .join(""),
      ).toBe(plain);
    }),
    { numRuns: 500 },
  );
});

test("what is looked for is found across a change of colour, whatever its case", () => {
  const spans = ansiSpans(`an ${esc}31mEr${esc}0mror and an error`);
  expect(
    highlight(spans, "ERROR")
      .filter(({ hit }) => hit)
      .map(({ text }) => text),
  ).toEqual(["Er", "ror", "error"]);
});
