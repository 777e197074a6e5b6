import { expect, test } from "vitest";
import { z } from "zod";
import { manifestSchema } from "../../ui/schema/manifest-schema.ts";
import { placeText, readText } from "./checks.ts";

const spec = z.strictObject({ size: z.int().max(9), tags: z.array(z.string()).optional() });
const schema = manifestSchema({ name: "Thing", spec: z.toJSONSchema(spec) as never });
const head = "apiVersion: reeve/v1\nkind: Thing\nmetadata:\n  name: a\n";

test("errors stand where they are in the text, and what is missing where it is missing from", () => {
  const text = `${head}spec:\n  size: 12\n  tag: x\n`;
  const { problems } = readText(text, schema);
  expect(problems.map(({ from, to, message }) => [text.slice(from, to), message])).toEqual([
    ["size", "size: at most 9"],
    ["tag", "tag: unknown field"],
  ]);
  expect(problems.map(({ from }) => placeText(text, from))).toEqual(["line 6, column 3", "line 7, column 3"]);
  const missing = readText(`${head}spec: {}\n`, schema);
  expect(missing.problems[0]).toMatchObject({ message: "size: required" });
});

test("what is no YAML, or no resource, has no value", () => {
  expect(readText("a: [", schema)).toMatchObject({ value: undefined, errors: [] });
  expect(readText("just words", schema).value).toBeUndefined();
  expect(readText("a: 1\na: 2\n", schema).problems[0]?.message).toBe("this key stands here twice");
  expect(readText(`${head}spec:\n  size: 1\n`, schema)).toMatchObject({ errors: [], problems: [] });
});
