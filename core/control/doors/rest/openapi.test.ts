import {
  baseStatus,
  defineKind,
  isObject,
  type JsonObject,
  type Kind,
  kindRegistry,
  levelOf,
  levels,
  yes,
} from "@reeve/model";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineRoute } from "../../route.ts";
import { readTarget, subOperations } from "./address.ts";
import { openApiDocument } from "./openapi.ts";
import { placesOf } from "./openapi-place.ts";
import { checkQuery } from "./query.ts";

const spec = z.strictObject({ displayName: z.string().optional() });
const part = z.strictObject({
  name: z.string(),
  get parts() {
    return z.array(part).optional();
  },
});

function scopeKind(name: string, level: (typeof levels)[number]): Kind {
  const plural = `${name.toLowerCase()}s`;
  const example = `apiVersion: reeve/v1\nkind: ${name}\nmetadata:\n  name: one\nspec:\n  displayName: One\n`;
  return defineKind({
    name,
    plural,
    shortNames: [],
    summary: `A ${name}.`,
    levels: [level],
    opensScope: true,
    spec,
    status: baseStatus,
    columns: [],
    example,
  });
}

/** Everything that makes describing hard: all levels, defaults, refinements, a schema that holds itself, actions. */
const CopperPot = defineKind({
  name: "CopperPot",
  plural: "copperpots",
  shortNames: ["cp"],
  summary: "A pot.",
  levels: [...levels],
  fields: ["spec.litres"],
  spec: z.strictObject({
    litres: z.number().default(1),
    lid: part.optional(),
    mark: z
      .string()
      .refine((text) => text !== "no")
      .optional(),
  }),
  status: baseStatus.extend({ hot: z.boolean().optional() }),
  columns: [],
  actions: {
    "boil-dry": {
      summary: "Boil it dry.",
      input: z.strictObject({ hard: z.boolean() }),
      output: z.object({ left: part }),
      can: () => yes,
      secret: true,
    },
  },
  example:
    "apiVersion: reeve/v1\nkind: CopperPot\nmetadata:\n  scope: acme/shop\n  name: soup\nspec:\n  litres: 5\n",
});

const kinds = [
  scopeKind("Organization", "installation"),
  scopeKind("Project", "organization"),
  scopeKind("Workspace", "project"),
  CopperPot,
];
const routes = [
  defineRoute({
    method: "POST",
    path: "/sessions",
    summary: "Sign in",
    demand: "public",
    attemptsPerMinute: 10,
    body: z.strictObject({ user: z.string() }),
    answer: z.object({ token: z.string() }),
    run: async () => ({}),
  }),
  defineRoute({
    method: "GET",
    path: "/sessions",
    summary: "Sessions",
    demand: "signed-in",
    answer: z.object({}),
    run: async () => ({}),
  }),
  defineRoute({
    method: "DELETE",
    path: "/sessions/:id",
    summary: "Sign out",
    demand: "signed-in",
    answer: z.object({}),
    run: async () => ({}),
  }),
];

const registry = kindRegistry(kinds);
const document = openApiDocument({ registry, routes, version: "1.2.3" });

interface Operation {
  readonly operationId: string;
  readonly security?: unknown[];
  readonly tags: string[];
  readonly parameters?: { readonly $ref?: string; readonly name: string; readonly in: string }[];
  readonly responses: Record<string, JsonObject>;
  readonly "x-reeve-permission"?: string;
}

const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function resolve(ref: string): unknown {
  const parts = ref
    .split("/")
    .slice(1)
    .map((text) => text.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.reduce<unknown>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    document,
  );
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return [...(typeof value.$ref === "string" ? [value.$ref] : []), ...Object.values(value).flatMap(refsIn)];
}

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test("every kind is there at every level, with every operation, where the door listens", () => {
  for (const { kind, level, collection, item } of placesOf(registry)) {
    const found = [
      collection,
      item,
      ...subOperations.map((sub) => (sub === "actions" ? `${item}/actions/boil-dry` : `${item}/${sub}`)),
    ];
    for (const path of found) {
      if (path.endsWith("boil-dry") && kind !== CopperPot) continue;
      expect(paths, path).toHaveProperty([path]);
      const target = readTarget(path.slice("/api/v1/".length).replaceAll(/[{}]/g, ""), registry);
      expect([target.kind.name, levelOf(target.scope)]).toEqual([kind.name, level]);
    }
    expect(Object.keys(paths[collection] ?? {})).toEqual(["get", "post"]);
    expect(Object.keys(paths[item] ?? {})).toEqual(["get", "put", "patch", "delete"]);
  }
  expect(placesOf(registry).map(({ kind, level }) => `${level} ${kind.name}`)).toHaveLength(7);
});

test("operation ids are unique and say what they do", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(
    expect.arrayContaining([
      "listProjects",
      "applyProject",
      "listCopperPotsInOrganization",
      "copperPotBoilDryInWorkspace",
      "postSessions",
      "deleteSessionsId",
      "applyMany",
    ]),
  );
});

test("every reference leads somewhere, also inside a schema that holds itself", () => {
  const refs = [...new Set(refsIn(document))];
  expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
  expect(refs).toContain("#/components/schemas/CopperPotSpec/$defs/__schema0");
});

test("every part of a path is declared, and every query is one that the door takes", () => {
  for (const { path, method, operation } of operations) {
    const all = (operation.parameters ?? []).map(
      (one) => (one.$ref ? resolve(one.$ref) : one) as { name: string; in: string },
    );
    const declared = all.filter((one) => one.in === "path").map((one) => `{${one.name}}`);
    expect(declared, path).toEqual(path.match(/\{\w+\}/g) ?? []);
    const query = all.filter((one) => one.in === "query").map((one) => one.name);
    const change = method === "delete" ? "removal" : "mutation";
    const reads = { "/api/v1/audit": "audit", "/api/v1/audit/export": "auditExport" } as const;
    const audit = Object.hasOwn(reads, path) ? reads[path as keyof typeof reads] : undefined;
    const read = audit ?? (path.endsWith("/history") ? "history" : "list");
    for (const name of query) {
      // A list takes other words when it is watched.
      const which = method !== "get" ? change : name === "since" && !audit ? "watch" : read;
      expect(() => checkQuery({ [name]: "1" }, which), `${method} ${path}`).not.toThrow();
    }
  }
});

test("every operation that is not public can be refused, and says so with a problem", () => {
  for (const { path, operation } of operations) {
    if (operation.security !== undefined) continue;
    for (const status of ["400", "401", "403", "422", "429", "500", "503"]) {
      const answer = resolve(operation.responses[status]?.$ref as string);
      expect(answer, `${path} ${status}`).toMatchObject({
        content: {
          "application/problem+json": {
            schema: { $ref: "#/components/schemas/Problem" },
            example: { status: Number(status) },
          },
        },
      });
    }
  }
  const open = operations.filter(({ operation }) => operation.security !== undefined).map(({ path }) => path);
  expect(open).toEqual(["/api/v1/sessions", "/livez", "/readyz"]);
});

test("every operation on a kind names its permission", () => {
  const unnamed = operations.filter(
    ({ path, operation }) => /projects|copperpots/.test(path) && !operation["x-reeve-permission"],
  );
  expect(unnamed).toEqual([]);
  expect(paths["/api/v1/organizations/{organization}/projects/{project}"]?.put).toMatchObject({
    "x-reeve-permission": "projects:update",
    "x-reeve-permission-to-create": "projects:create",
  });
});

test("an example is given with the scope of the address it stands at", () => {
  const create = paths["/api/v1/organizations/{organization}/copperpots"]?.post;
  expect(create).toMatchObject({
    requestBody: {
      content: {
        "application/json": { example: { kind: "CopperPot", metadata: { scope: "acme", name: "soup" } } },
      },
    },
  });
});

test("a field added to a kind is in the document; the same parts give the same text", () => {
  const again = openApiDocument({ registry: kindRegistry(kinds), routes, version: "1.2.3" });
  expect(JSON.stringify(again)).toBe(JSON.stringify(document));
  const wider = kinds.map((kind) =>
    kind.name === "Project" ? { ...kind, spec: spec.extend({ budget: z.int() }) } : kind,
  );
  const changed = openApiDocument({ registry: kindRegistry(wider), routes, version: "1.2.3" });
  const { schemas } = changed.components as { schemas: Record<string, JsonObject> };
  expect(schemas.ProjectSpec).toMatchObject({
    properties: { budget: { type: "integer" } },
    required: ["budget"],
  });
});
