import { expect, test } from "vitest";
import { z } from "zod";
import { Fault } from "./fault.ts";
import { readInput } from "./manifest.ts";

const schema = z.strictObject({
  text: z.string(),
  whole: z.int(),
  yes: z.boolean(),
  list: z.array(z.string()),
  of: z.record(z.string(), z.string()),
  one: z.enum(["a", "b"]),
  only: z.literal("x"),
  either: z.union([z.string(), z.strictObject({ from: z.string() })]),
  typed: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("A"), size: z.number() }),
    z.strictObject({ type: z.literal("B") }),
  ]),
  even: z.number().refine((number) => number % 2 === 0, { error: "is odd" }),
});

function told(input: unknown): string[] {
  try {
    readInput(schema, input);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.errors.map(({ pointer, message }) => `${pointer} ${message}`).toSorted();
  }
}

test("what is missing is required, and it is said what would fit", () => {
  expect(told({})).toEqual([
    "/either is required (a text or an object)",
    "/even is required (a number)",
    "/list is required (a list)",
    "/of is required (an object)",
    '/one is required (one of "a", "b")',
    '/only is required ("x")',
    "/text is required (a text)",
    "/typed is required (an object)",
    "/whole is required (a number)",
    "/yes is required (true or false)",
  ]);
  expect(told(undefined)).toEqual([" is required (an object)"]);
});

test("what does not fit is told what would, at its own place", () => {
  const wrong = {
    text: null,
    whole: 1.5,
    yes: "yes",
    list: [1, undefined],
    of: { a: 1 },
    one: "c",
    only: "y",
  };
  expect(told({ ...wrong, either: { from: 3 }, typed: {}, even: 3 })).toEqual([
    "/either/from must be a text",
    "/even is odd",
    "/list/0 must be a text",
    "/list/1 is required (a text)",
    "/of/a must be a text",
    '/one must be one of "a", "b"',
    '/only must be "x"',
    "/text must be a text",
    '/typed/type is required (one of "A", "B")',
    "/whole must be a whole number",
    "/yes must be true or false",
  ]);
  expect(told({ either: 5, typed: { type: "C" } })).toEqual(
    expect.arrayContaining(["/either must be a text or an object", '/typed/type must be one of "A", "B"']),
  );
});
