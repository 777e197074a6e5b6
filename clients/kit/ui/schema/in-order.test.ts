import { sameJson } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { inOrder } from "./in-order.ts";
import { schemaAt } from "./schema.ts";

const spec = z.strictObject({
  type: z.enum(["a"]),
  steps: z.array(z.strictObject({ name: z.string(), run: z.string() })),
  env: z.record(z.string(), z.strictObject({ key: z.string(), at: z.string() })),
});

test("fields come in the order of the schema, at every depth, and nothing is lost", () => {
  const value = {
    env: { z: { at: "1", key: "2" }, a: { at: "3", key: "4" } },
    steps: [{ run: "x", name: "y" }],
    more: 1,
    type: "a",
  };
  const told = inOrder(schemaAt(z.toJSONSchema(spec) as never), value);
  expect(JSON.stringify(told)).toBe(
    '{"type":"a","steps":[{"name":"y","run":"x"}],"env":{"z":{"key":"2","at":"1"},"a":{"key":"4","at":"3"}},"more":1}',
  );
  expect(sameJson(told, value)).toBe(true);
});
