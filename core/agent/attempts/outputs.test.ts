import { expect, test } from "vitest";
import { checkOutputs, hideText, parseOutputs } from "./outputs.ts";

const parse = (text: string, hide: string[] = []) => parseOutputs(Buffer.from(text), hide);

test("lines and one object are read; nothing is nothing", () => {
  expect(parse("")).toEqual({ good: true });
  expect(parse("a=1\r\n\nurl=http://x/?a=b\nempty=\n")).toEqual({
    good: true,
    outputs: { a: "1", url: "http://x/?a=b", empty: "" },
  });
  expect(parse(' {"rows": 12, "list": [1, null]} ')).toEqual({
    good: true,
    outputs: { rows: 12, list: [1, null] },
  });
});

test.each([
  ["a=1\n=2", /line 2 that is not key=value/],
  ['{"a": 1', /not one JSON object/],
  ['{"a": "\\u0000"}', /zero character/],
  ["a=\0", /zero character/],
])("%j is refused", (text, why) => {
  expect(parse(text)).toEqual({ good: false, why: expect.stringMatching(why) });
});

test("what is no text and what is too large is refused", () => {
  expect(parseOutputs(Uint8Array.of(0x61, 0x3d, 0xff), [])).toMatchObject({
    good: false,
    why: expect.stringMatching(/UTF-8/),
  });
  expect(checkOutputs({ a: "x".repeat(256 * 1024) }, [])).toMatchObject({
    good: false,
    why: expect.stringMatching(/262144 are/),
  });
});

test("secrets are hidden wherever they stand, the longest first", () => {
  expect(parse('{"a": ["my pass", {"pass": "word"}]}', ["pass"])).toEqual({
    good: true,
    outputs: { a: ["my ***", { "***": "word" }] },
  });
  expect(hideText("password", ["pass", "password", ""])).toBe("***");
});
