import { nameOf } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { check } from "./check.ts";
import { schemaAt } from "./schema.ts";

const at = (type: z.ZodType) => schemaAt(z.toJSONSchema(type, { io: "input" }) as never);
const ways = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("mail"), to: z.array(z.string()).min(1) }),
  z.strictObject({ type: z.literal("chat"), url: z.string(), port: z.int().max(10).optional() }),
]);

test("what is missing, unknown or of the wrong sort is named at its pointer", () => {
  const spec = at(
    z.strictObject({ name: z.string().min(1), tags: z.array(z.strictObject({ a: z.boolean() })) }),
  );
  expect(check(spec, { name: "", tags: [{ a: true }, { a: "x" }], more: 1 })).toEqual([
    { pointer: "/name", message: "must not be empty" },
    { pointer: "/tags/1/a", message: "expected true or false" },
    { pointer: "/more", message: "unknown field" },
  ]);
  expect(check(spec, { name: "x" })).toEqual([{ pointer: "/tags", message: "required" }]);
});

test("of several forms, the one whose fixed word was written is the one that is corrected", () => {
  expect(check(at(ways), { type: "chat", port: 11 }, "/spec")).toEqual([
    { pointer: "/spec/url", message: "required" },
    { pointer: "/spec/port", message: "at most 10" },
  ]);
  expect(check(at(ways), { type: "mail", to: ["a"] })).toEqual([]);
});

test("text or an object: whoever wrote an object is told about the object", () => {
  const either = at(
    z.union([z.string(), z.strictObject({ ref: z.strictObject({ name: nameOf("Secret") }) })]),
  );
  expect(check(either, { ref: {} })).toEqual([{ pointer: "/ref/name", message: "required" }]);
  expect(check(either, "x")).toEqual([]);
});

test("keys of one's own choice have rules too, and any JSON fits where anything may stand", () => {
  const env = at(z.record(z.string().max(5), z.json()));
  expect(check(env, { longer: [1, { a: null }], ok: null })).toEqual([
    { pointer: "/longer", message: "at most 5 characters" },
  ]);
});
