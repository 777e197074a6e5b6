import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { Fault } from "./fault.ts";
import { defineKind } from "./kind.ts";
import { readManifest } from "./manifest.ts";
import { isName } from "./name.ts";
import { kindRegistry } from "./registry.ts";
import { apiVersion, type Json } from "./resource.ts";
import { baseStatus } from "./status.ts";
import { unstorable } from "./storable.ts";
import { anyJson, anyObject } from "./testing-json.ts";

const Thing = defineKind({
  name: "Thing",
  plural: "things",
  shortNames: [],
  summary: "",
  levels: ["organization", "project"],
  spec: z.strictObject({ size: z.number().default(1), tags: z.array(z.string()).optional() }),
  status: baseStatus,
  columns: [],
  example: "",
});
const registry = kindRegistry([Thing]);
const base = { apiVersion, kind: "Thing", metadata: { scope: "acme", name: "x" }, spec: { size: 2 } };

function errorsOf(input: unknown): string[] {
  try {
    readManifest(input, registry);
    return [];
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
    return error.errors.map((one) => one.pointer);
  }
}

test("a manifest is read with its defaults filled in, and reading it again changes nothing", () => {
  const { manifest, kind } = readManifest({ ...base, spec: {} }, registry);
  expect(kind).toBe(Thing);
  expect(manifest).toEqual({
    apiVersion,
    kind: "Thing",
    metadata: { scope: "acme", name: "x" },
    spec: { size: 1 },
  });
  expect(readManifest(manifest, registry).manifest).toEqual(manifest);
});

test("what was read from the server can be sent again: what only the server sets is left out", () => {
  const told = {
    ...base,
    metadata: {
      ...base.metadata,
      uid: "u",
      generation: 3,
      revision: 9,
      labels: {},
      annotations: {},
      finalizers: [],
      createdAt: "t",
      updatedAt: "t",
      deletingAt: "t",
    },
    status: { conditions: [] },
  };
  const { metadata } = readManifest(told, registry).manifest;
  expect(Object.keys(metadata)).not.toEqual(expect.arrayContaining(["createdAt"]));
  expect(metadata).toMatchObject({ uid: "u", generation: 3, revision: 9 });
});

test("whatever is sent, it is read or refused with the fields named; nothing else is thrown", () => {
  const odd = fc.oneof(
    anyJson,
    fc.record(
      {
        apiVersion: fc.constantFrom<Json>(apiVersion, "x"),
        kind: fc.constantFrom<Json>("Thing", "No", 1),
        metadata: anyJson,
        spec: anyJson,
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        ...Object.fromEntries(Object.entries(base).map(([key, value]) => [key, fc.constant(value as Json)])),
        spec: anyObject,
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(odd, (input) => {
      try {
        expect(isName(readManifest(input, registry).manifest.metadata.name)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        const { kind, errors, next } = error as Fault;
        expect(kind).toBe("invalid");
        expect(errors.length > 0 || next !== undefined).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test.each<[string, unknown, string]>([
  ["a kind nobody knows", { ...base, kind: "Nothing" }, "/kind"],
  ["a level it cannot live at", { ...base, metadata: { name: "x", scope: "" } }, "/metadata/scope"],
  ["a level too deep", { ...base, metadata: { name: "x", scope: "a/b/c" } }, "/metadata/scope"],
  ["an unknown field of the spec", { ...base, spec: { sise: 1 } }, "/spec/sise"],
  ["a wrong type far down", { ...base, spec: { tags: ["a", 1] } }, "/spec/tags/1"],
  ["an unknown field at the top", { ...base, data: 1 }, "/data"],
  ["a name with upper case", { ...base, metadata: { scope: "acme", name: "X" } }, "/metadata/name"],
  ["a NUL", { ...base, spec: { tags: ["a\0"] } }, "/spec/tags/0"],
  ["a lone surrogate as a key", { ...base, spec: { "\ud800": 1 } }, "/spec/\ud800"],
  ["infinity", { ...base, spec: { size: Number.POSITIVE_INFINITY } }, "/spec/size"],
  ["no metadata", { apiVersion, kind: "Thing" }, "/metadata"],
])("%s is named", (_what, input, pointer) => {
  expect(errorsOf(input)).toContain(pointer);
});

test("all wrong fields are named, not only the first", () => {
  expect(errorsOf({ ...base, spec: { size: "x", tags: 1, more: 2 } }).sort()).toEqual([
    "/spec/more",
    "/spec/size",
    "/spec/tags",
  ]);
});

test("what cannot be stored is found wherever it is, and what can be is let through", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = JSON.stringify(value);
      const fine = !text.includes("\\u0000") && text.isWellFormed() && !/\\ud[89a-f]/i.test(text);
      expect(unstorable(value) === undefined).toBe(fine);
    }),
  );
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  expect(unstorable(deep)?.message).toContain("nested deeper");
});
