import { hints, nameOf, scopeText } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshValue } from "../form/value.ts";
import { schemaAt } from "./schema.ts";
import { shapeOf } from "./shape.ts";
import { variantKey, variantLabel } from "./variant-label.ts";

const at = (type: z.ZodType) => schemaAt(z.toJSONSchema(type, { io: "input" }) as never);

test.each([
  [z.string().max(63), { shape: "text", long: false, code: false, writeOnly: false }],
  [z.string().max(2000), { shape: "text", long: true, code: false, writeOnly: false }],
  [
    z.string().meta({ contentMediaType: hints.shell }),
    { shape: "text", long: true, code: true, writeOnly: false },
  ],
  [z.string().meta({ writeOnly: true }), { shape: "text", long: false, code: false, writeOnly: true }],
  [
    nameOf("Channel").optional(),
    { shape: "text", long: false, code: false, kind: "Channel", writeOnly: false },
  ],
  [scopeText, { shape: "text", long: false, code: false, format: "reeve-scope", writeOnly: false }],
  [
    z.union([z.string(), z.number(), z.boolean()]),
    { shape: "text", long: false, code: false, writeOnly: false },
  ],
  [z.string().nullable(), { shape: "text", long: false, code: false, writeOnly: false }],
  [z.int().min(1), { shape: "number", whole: true, least: 1 }],
  [z.enum(["a", "b"]), { shape: "choice", options: ["a", "b"] }],
  [z.boolean(), { shape: "toggle" }],
  [z.json(), { shape: "anything" }],
  [z.unknown(), { shape: "anything" }],
])("a field is asked for by its shape: %#", (type, shape) => {
  expect(shapeOf(at(type))).toEqual(shape);
});

test("objects have fields, maps have keys, lists have items, and forms have names", () => {
  expect(shapeOf(at(z.strictObject({ a: z.string() }))).shape).toBe("object");
  expect(shapeOf(at(z.record(z.string(), z.int()))).shape).toBe("map");
  expect(shapeOf(at(z.array(z.int()))).shape).toBe("list");
  const forms = shapeOf(
    at(
      z.union([
        z.string(),
        z.strictObject({ secretRef: z.string() }),
        z.strictObject({ type: z.literal("mail"), to: z.string() }),
      ]),
    ),
  );
  expect(forms.shape === "variants" && forms.variants.map(variantLabel)).toEqual([
    "text",
    "secretRef",
    "mail",
  ]);
});

test("forms are told apart by the field that has a fixed word in each", () => {
  const ways = [z.strictObject({ type: z.literal("a") }), z.strictObject({ type: z.literal("b") })].map(at);
  expect(variantKey(ways)).toBe("type");
  expect(variantKey([...ways, at(z.string())])).toBeUndefined();
});

test("a new field begins with its default, and with what it cannot do without", () => {
  const spec = z.strictObject({
    type: z.literal("mail"),
    port: z.int().default(587),
    to: z.array(z.string()),
    from: z.strictObject({ name: z.string(), note: z.string().optional() }),
    note: z.string().optional(),
  });
  expect(freshValue(at(spec))).toEqual({ type: "mail", to: [], from: { name: "" } });
  expect(freshValue(at(z.int().default(587)))).toBe(587);
});
