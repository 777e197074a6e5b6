import type { Fault, Json } from "@reeve/model";
import { expect, test } from "vitest";
import { inputFromText, inputsSpec, readInputs } from "./inputs.ts";

const declared = inputsSpec.parse({
  day: { pattern: "\\d{4}-\\d\\d-\\d\\d", default: "2026-01-01" },
  env: { type: "choice", choices: ["dev", "prod"], required: true },
  count: { type: "integer", least: 1, most: 9 },
  share: { type: "number" },
  dry: { type: "boolean", default: false },
  hosts: { type: "list", most: 2 },
  any: { type: "json" },
});

test("what is left out has its default, or is null", () => {
  expect(readInputs(declared, { env: "dev" })).toEqual({
    day: "2026-01-01",
    env: "dev",
    count: null,
    share: null,
    dry: false,
    hosts: null,
    any: null,
  });
});

test("every wrong input is told at once, with what it should be", () => {
  const given = {
    day: "yesterday",
    env: "test",
    count: 1.5,
    share: "1",
    dry: "no",
    hosts: [1, 2, 3],
    nope: 1,
  };
  let fault: Fault | undefined;
  try {
    readInputs(declared, given);
  } catch (error) {
    fault = error as Fault;
  }
  expect(fault?.errors).toEqual([
    {
      pointer: "/inputs/nope",
      message: "there is no such input; the inputs are day, env, count, share, dry, hosts, any",
    },
    { pointer: "/inputs/day", message: "must match \\d{4}-\\d\\d-\\d\\d" },
    { pointer: "/inputs/env", message: 'must be one of "dev", "prod"' },
    { pointer: "/inputs/count", message: "must be a whole number" },
    { pointer: "/inputs/share", message: "must be a number" },
    { pointer: "/inputs/dry", message: "must be true or false" },
    { pointer: "/inputs/hosts", message: "must be at most 2" },
  ]);
  expect(() => readInputs(declared, {})).toThrow("/inputs/env: is required");
  expect(() => readInputs(inputsSpec.parse({ a: {} }), { a: "x".repeat(70_000) })).toThrow("64 KiB");
});

test.each<[string, string, Json]>([
  ["day", "2026-02-02", "2026-02-02"],
  ["count", "5", 5],
  ["dry", "true", true],
  ["hosts", "a,b", ["a", "b"]],
  ["hosts", '["a"]', ["a"]],
  ["any", '{"a":1}', { a: 1 }],
  ["env", "prod", "prod"],
  ["nope", "5", "5"],
])("typed as text, %s=%s is %j", (name, text, value) => {
  expect(inputFromText(declared[name], text)).toEqual(value);
});

test.each(["(a+)+", "(a|b)*", "\\1", "(?=a)", "a*b*c*d*", "[", "x".repeat(201), "(?<n>a)\\k<n>"])(
  "the pattern %s is refused: it could run for long, or cannot be read",
  (pattern) => {
    expect(() => inputsSpec.parse({ a: { pattern } })).toThrow();
  },
);
