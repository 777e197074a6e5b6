import { expect, test } from "vitest";
import { readPlainYaml } from "./openapi-plain-yaml.ts";

test("maps, lists and scalars are read", () => {
  const text = `
kind: Widget
metadata:
  name: one
spec:
  count: 3
  ratio: -0.5
  on: true
  when: "2027-01-31T00:00:00Z"
  words: Two words, and more.
  tags:
    - a
    - 7
  parts:
    - name: x
      size: 1
    - name: y
`;
  expect(readPlainYaml(text)).toEqual({
    kind: "Widget",
    metadata: { name: "one" },
    spec: {
      count: 3,
      ratio: -0.5,
      on: true,
      when: "2027-01-31T00:00:00Z",
      words: "Two words, and more.",
      tags: ["a", 7],
      parts: [{ name: "x", size: 1 }, { name: "y" }],
    },
  });
});

test.each([
  "a: 'quoted'",
  "a: [1, 2]",
  "a: { b: 1 }",
  "a: |\n  text",
  "a: &anchor b",
  "a: b # a comment",
  "a: 1e3",
  "a: 007",
  "a: Null",
  "a: b: c",
  "a:",
  "a:\n\tb: 1",
  "- a",
  "a: 1\n   b: 2",
])("what is not plain is not guessed: %j", (text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});
