import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateKey } from "./duplicate-key.ts";

test("no JSON that was written from a value has a key twice", () => {
  fc.assert(fc.property(fc.json(), (text) => duplicateKey(text) === undefined));
});

test.each([
  ['{"a":1,"a":2}', "/a"],
  ['{"a":1,"\\u0061":2}', "/a"],
  ['{"a/b":{"x":[0,{"k":"}","k":"{"}]}}', "/a~1b/x/1/k"],
  ['{"a":"\\\\","b":"\\"","b":1}', "/b"],
  ['[{"a":1},{"a":1,"c":{"a":1},"a":2}]', "/1/a"],
  ['{"":1,"":2}', "/"],
])("%s has the key %s twice", (text, pointer) => {
  expect(duplicateKey(text)).toBe(pointer);
});

test("the same key in different objects is fine", () => {
  expect(duplicateKey('{"a":{"a":[{"a":1},{"a":"a"}]},"b":"\\"a\\",\\"a\\"","c":["a","a"]}')).toBeUndefined();
});

test("a text of four megabytes, or nested very deeply, is read in no time", () => {
  const wide = `{${[...Array(150_000)].map((_, index) => `"key-${index}":"some value"`).join(",")}}`;
  const deep = `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`;
  const escaped = `"${"\\\\".repeat(2_000_000)}"`;
  // Of the processor's time: on a busy machine much more passes.
  const before = process.cpuUsage();
  for (const text of [wide, deep, escaped]) expect(duplicateKey(text)).toBeUndefined();
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
