import fc from "fast-check";
import { expect, test } from "vitest";
import type { ExpressionScope } from "./expression.ts";
import { fillTemplates, splitTemplate, templatesIn } from "./template.ts";
import { anyJson } from "./testing-json.ts";

const scope: ExpressionScope = {
  inputs: { name: "Ada", list: [1, { a: 2 }], none: null },
  steps: {},
  run: {},
};

test("a text that is one expression keeps its type; in other text it is words", () => {
  expect(
    fillTemplates(
      {
        list: "${{ inputs.list }}",
        text: "<${{ inputs.name }}|${{ inputs.list }}|${{ 1 + 1 }}|${{ inputs.none }}>",
        deep: ["${{ true }}", 5, null, { "${{ key }}": "x" }],
        map: "${{ {'a': {'b': '}}'}} }}",
      },
      scope,
    ),
  ).toEqual({
    list: [1, { a: 2 }],
    text: '<Ada|[1,{"a":2}]|2|>',
    deep: [true, 5, null, { "${{ key }}": "x" }],
    map: { a: { b: "}}" } },
  });
});

test("secrets and connections stay, also beside what is filled", () => {
  const value = { a: "${{ secrets.db }}", b: "${{inputs.name}}:${{ connections.pg.password }}" };
  expect(fillTemplates(value, scope)).toEqual({
    a: "${{ secrets.db }}",
    b: "Ada:${{ connections.pg.password }}",
  });
});

test.each([
  ["${{ inputs.x }}", "${{ secrets.db.password }}"],
  ["<${{ inputs.x }}>", "${{secrets.db.password}}"],
  ["$${{ inputs.x }}", "{{ secrets.db.password }}"],
  ["${{ secrets.a.b }}${{ inputs.x }}", "${{\n connections.db.password }}"],
  ["${{ inputs.x }}", { deep: [{ secretRef: { name: "db", key: "password" } }] }],
  ["${{ inputs.x }}", ["${{ secrets.db.password }}"]],
  ["<${{ inputs.x }}>", { a: "${{ secrets.db.password }}" }],
])("in %j an input cannot ask for a secret", (text, x) => {
  expect(() => fillTemplates(text, { ...scope, inputs: { x } })).toThrow("reads as a reference to a secret");
});

test("one that is never closed is refused with what it looks like", () => {
  expect(() => fillTemplates("x ${{ inputs.name }", scope)).toThrow('"${{ inputs.name }" is never closed');
});

test("every expression is found, with the pointer to it", () => {
  expect(templatesIn({ a: ["x", "${{ 1 }}-${{ 2 }}"], "b/c": { d: "${{ secrets.s }}" } })).toEqual([
    { pointer: "/a/1", expression: "1" },
    { pointer: "/a/1", expression: "2" },
    { pointer: "/b~1c/d", expression: "secrets.s" },
  ]);
});

test("the parts of a text are the text, and what holds no expression is left as it is", () => {
  const word = fc.constantFrom("${{ 1 }}", "${{inputs.name}}", "{{", "}}", "a b", "\n", "${{ '}}' }}");
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join("");
      expect(
        splitTemplate(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
    }),
  );
  fc.assert(
    fc.property(anyJson, (value) => {
      fc.pre(!JSON.stringify(value).includes("${{"));
      expect(fillTemplates(value, scope)).toEqual(value);
    }),
  );
});
