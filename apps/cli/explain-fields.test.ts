import { RoleBinding, User } from "@reeve/access/kinds";
import type { JsonObject, Kind } from "@reeve/model";
import { Connection } from "@reeve/secrets/kinds";
import { expect, test } from "vitest";
import { z } from "zod";
import { fieldRows, schemaAt, typeName } from "./explain-fields.ts";

const schemaOf = (kind: Kind) => kind.spec.toJSONSchema({ io: "input" }) as JsonObject;
const show = (schema: JsonObject) =>
  fieldRows(schema).map(
    (row) =>
      `${"  ".repeat(row.depth)}${row.name}${row.required ? "*" : ""}: ${row.type}${row.fallback && ` = ${row.fallback}`}`,
  );

test("fields come with type, need and default, nested under their parent", () => {
  expect(show(schemaOf(User))).toEqual([
    "displayName: text",
    "email: text (email)",
    "disabled: true|false = false",
  ]);
  expect(show(schemaOf(RoleBinding))).toEqual([
    "role*: text",
    "subject*: object",
    "  kind*: User|ServiceAccount|Group",
    "  name*: text",
    "  scope: text (scope)",
  ]);
});

test("lists, maps, choices and recursion are shown and end", () => {
  const text = { type: "string" };
  const tree = { properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/tree" } } } };
  const schema: JsonObject = {
    type: "object",
    properties: {
      env: { type: "object", additionalProperties: text },
      ports: {
        type: "array",
        items: { type: "object", properties: { port: { type: "integer" } }, required: ["port"] },
      },
      either: { anyOf: [text, { type: ["number", "null"] }] },
      tree: { $ref: "#/$defs/tree" },
    },
    required: ["env", "ports", "either"],
    $defs: { tree: { type: "object", ...tree } },
  };
  const lines = show(schema);
  expect(lines.slice(0, 4)).toEqual([
    "env*: map of text",
    "ports*: list of object",
    "  port*: whole number",
    "either*: text or number or null",
  ]);
  expect(lines.length).toBeLessThan(40);
});

test("a path leads to its field, or nowhere", () => {
  const schema = schemaOf(RoleBinding);
  expect(typeName(schemaAt(schema, ["subject", "kind"]) ?? {}, schema)).toBe("User|ServiceAccount|Group");
  expect(schemaAt(schema, ["subject", "constructor"])).toBeUndefined();
});

test("of a kind with several types, the fields of each are shown", () => {
  const shown = show(schemaOf(Connection));
  expect(shown.filter((line) => line.startsWith("type"))).toHaveLength(8);
  expect(shown.join("\n")).toContain(
    'type*: "smtp"\ndescription: text\nhost*: text\nport: whole number = 587',
  );
  expect(schemaAt(schemaOf(Connection), ["bucket"])).toMatchObject({ type: "string" });
});

test("what may be any JSON is called so, and not followed for ever", () => {
  const schema = z.toJSONSchema(z.strictObject({ with: z.record(z.string(), z.json()), default: z.json() }));
  expect(fieldRows(schema as JsonObject).map(({ name, type }) => `${name}: ${type}`)).toEqual([
    "with: map of JSON",
    "default: JSON",
  ]);
});
