import fc from "fast-check";
import { expect, test } from "vitest";
import { checkExpression, type ExpressionScope, evaluate } from "./expression.ts";
import { Fault } from "./fault.ts";
import type { Json } from "./resource.ts";
import { anyJson, anyObject } from "./testing-json.ts";

const scope: ExpressionScope = {
  inputs: { name: "Ada", count: 2, share: 2.5, tags: ["a", "b"], deep: { list: [1, 2, 3] } },
  steps: {
    load: { state: "succeeded", outputs: { rows: 40, path: "/tmp/x" } },
    "clean-up": { state: "failed", outputs: {} },
    "2nd": { state: "succeeded", outputs: { ok: true } },
    each: { state: "succeeded", outputs: [{ n: 1 }, { n: 2 }] },
  },
  run: { id: "r1", cause: "person" },
  item: { host: "a" },
  index: 3,
};

test.each<[string, Json]>([
  ["inputs.count + 1", 3],
  ["inputs.count * inputs.share", 5],
  ["inputs.count / 4.0", 0.5],
  ["inputs.share > 2 && inputs.count == 2.0", true],
  ['"hello " + inputs.name', "hello Ada"],
  ["steps.load.outputs.rows > 10", true],
  ['steps["clean-up"].state == "failed"', true],
  ['steps.clean-up.state == "failed"', true],
  ["steps.2nd.outputs.ok", true],
  ['"steps.a-b" + inputs.name', "steps.a-bAda"],
  ["inputs.count-1", 1],
  ["steps.each.outputs.map(o, o.n * 10)", [10, 20]],
  ["inputs.tags.filter(t, t != 'a').size()", 1],
  ["has(inputs.missing) ? inputs.missing : 'none'", "none"],
  ["[inputs.name, 1, {'a': {'b': null}}]", ["Ada", 1, { a: { b: null } }]],
  ["item.host + string(index)", "a3"],
  ["run.cause in ['person', 'webhook']", true],
  ["timestamp('2026-01-01T00:00:00Z') + duration('1h')", "2026-01-01T01:00:00.000Z"],
  ["duration('90s')", "90s"],
  ["inputs.tags.join(',')", "a,b"],
  ["cel.bind(x, inputs.count, x + x)", 4],
  ["inputs.deep.list.exists(n, n > 2) && !inputs.deep.list.all(n, n > 2)", true],
  ["5u", 5],
])("%s is %j", (expression, value) => {
  expect(evaluate(expression, scope)).toEqual(value);
});

test.each([
  ["inputs.nothing", 'there is no "nothing"'],
  ["inputs.toString", 'there is no "toString"'],
  ["inputs.__proto__", 'there is no "__proto__"'],
  ["inputs.name + 1", "no such overload: string + int"],
  ["inputs.count / 0", "division by zero"],
  ["9007199254740993", "too large"],
  ["1.0 / 0.0", "too large"],
  ["b'x'", "neither a text"],
  ["type(1)", "neither a text"],
])("%s cannot be worked out: %s", (expression, why) => {
  expect(() => evaluate(expression, scope)).toThrow(Fault);
  expect(() => evaluate(expression, scope)).toThrow(why);
  expect(() => evaluate(expression, scope)).toThrow(JSON.stringify(expression));
});

test.each([
  ["", "empty"],
  ["inputs.", "expected IDENTIFIER"],
  ["process.env", "unknown variable: process"],
  ["nope", "unknown variable: nope; there are inputs, steps"],
  ["1 + 'a'", "no such overload"],
  ["inputs.name.matches('(a+)+$')", "matches() is not available"],
  ["eval('1')", "no matching overload"],
  ["inputs.?name", ""],
  ["'a".padEnd(5000, "a"), "longer than 4096"],
  ["(".repeat(300), ""],
])("%s is refused before it is ever worked out", (expression, why) => {
  expect(() => checkExpression(expression)).toThrow(Fault);
  expect(() => checkExpression(expression)).toThrow(why);
});

test("an expression says what it speaks of, and a loop's own variable is not that", () => {
  const { roots, inputs, steps } = checkExpression(
    "inputs.a + inputs['b'] == steps.one-two.outputs.x && inputs.l.map(steps, steps.z).size() > cel.bind(run, 1, run)",
  );
  expect([...roots].sort()).toEqual(["inputs", "steps"]);
  expect([...inputs].sort()).toEqual(["a", "b", "l"]);
  expect([...steps]).toEqual(["one-two"]);
});

const big = {
  ...scope,
  inputs: { list: Array.from({ length: 3000 }, (_, at) => at), text: "x".repeat(100_000) },
};
const doubling = (times: number) =>
  `[inputs.text]${Array.from({ length: times }, () => ".map(x, x + x)").join("")}.size()`;

test.each([
  "inputs.list.map(a, inputs.list.map(b, inputs.list.map(c, a + b + c)))",
  "inputs.list.exists(a, inputs.list.exists(b, inputs.list.exists(c, a + b + c < 0)))",
  "inputs.list.filter(a, a in inputs.list).size()",
  "inputs.list.filter(a, inputs.list == inputs.list).size()",
  "inputs.list.filter(a, inputs.text.contains('y')).size()",
  "inputs.list.all(a, inputs.list.all(b, a + b >= 0)) || true",
  doubling(30),
  `cel.bind(l, inputs.list, ${"l + ".repeat(100)}l).size()`,
])("%s is stopped, and the next one has its own budget", (expression) => {
  expect(() => evaluate(expression, big)).toThrow("it takes too many steps");
  expect(evaluate("inputs.list.size()", big)).toBe(3000);
});

test("what goes in comes out, whatever it is", () => {
  fc.assert(
    fc.property(anyObject, (inputs) => {
      const kept = JSON.parse(JSON.stringify(inputs)) as typeof inputs;
      expect(evaluate("inputs", { ...scope, inputs: kept })).toEqual(kept);
    }),
  );
});

test("any text is an expression with a value or a Fault", () => {
  const token = fc.constantFrom(
    "inputs",
    ".",
    "a",
    "[",
    "]",
    "(",
    ")",
    "+",
    "-",
    "==",
    "&&",
    "||",
    "?",
    ":",
    "1",
    "2.5",
    "'x'",
    '"',
    "{",
    "}",
    ",",
    ".map(",
    "x",
    "in",
    "has(",
    "!",
    "steps",
    "true",
    "null",
    "charge(",
    "cel.bind(",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(token, { maxLength: 12 }).map((all) => all.join(" ")),
      ),
      anyJson,
      (text, item) => {
        try {
          const value = evaluate(text, { ...scope, item });
          expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
