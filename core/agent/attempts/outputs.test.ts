import { expect, test } from "vitest";
import { sharedFinder } from "../finders.ts";
import { checkOutputs, parseOutputs } from "./outputs.ts";

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

test("secrets are hidden wherever they stand", () => {
  expect(parse('{"a": ["my pass", {"pass": "word"}]}', ["pass"])).toEqual({
    good: true,
    outputs: { a: ["my ***", { "***": "word" }] },
  });
});

test("a secret is hidden in every form that logs hide it in, and also as a number", () => {
  const secret = 'hush "hush" 4711';
  const header = Buffer.from(`robot:${secret}`).toString("base64");
  const said = { header: `Basic ${header}`, address: `/?key=${encodeURIComponent(secret)}`, pin: 48_151_623 };
  const checked = checkOutputs({ ...said, text: JSON.stringify({ secret }), rows: 12 }, [secret, "48151623"]);
  expect(checked).toMatchObject({
    good: true,
    outputs: { address: "/?key=***", pin: "***", text: '{"secret":"***"}', rows: 12 },
  });
  expect(JSON.stringify(checked)).not.toContain(header.slice(10, -4));
});

test("a long secret of many lines is hidden in many outputs by one table", () => {
  const lines = Array.from(
    { length: 2000 },
    (_, line) => `line ${line} of a bundle: ${line * 7919}, ${line ** 3}`,
  );
  const hide = [lines.join("\n")];
  const outputs = Object.fromEntries(lines.map((line, at) => [`a${at}`, `${line}!`]));
  const checked = checkOutputs({ ...outputs, all: lines.join("\n") }, hide);
  const hidden = Object.fromEntries(lines.map((_, at) => [`a${at}`, "***!"]));
  expect(checked).toEqual({ good: true, outputs: { ...hidden, all: lines.map(() => "***").join("\n") } });
  expect(sharedFinder([...hide])).toBe(sharedFinder(hide));
});

test("what a step gave back is left out when nobody knows any more what to hide in it", () => {
  const read = (text: string) => parseOutputs(Buffer.from(text), undefined);
  expect(read("")).toEqual({ good: true });
  expect(read("a=1")).toEqual({
    good: false,
    why: expect.stringContaining("lost when the host was restarted"),
  });
});
