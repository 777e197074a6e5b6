import {
  type Change,
  type FieldError,
  faultKinds,
  type JsonObject,
  type Look,
  levels,
  type ResourceEvent,
} from "@reeve/model";
import type { Address, Generation, Held } from "@reeve/store";
import type { Use } from "../../controller.ts";
import type { ActionDescription, KindDescription } from "./kind-description.ts";
import { listSchema, objectSchema, schemaRef } from "./openapi-json-schema.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const time = { type: "string", format: "date-time" };
const texts = { type: "array", items: text };
const anyJson = { description: "Any JSON value." };
const jsonSchemaItself = { type: "object", description: "A JSON Schema (2020-12)." };

/** A time that may not have come yet. */
const timeOrNull = { type: ["string", "null"], format: "date-time" };

const fieldError = {
  pointer: { ...text, description: "A JSON pointer into what was sent." },
  message: text,
} satisfies Record<keyof FieldError, JsonObject>;

const change = { pointer: text, before: anyJson, after: anyJson } satisfies Record<keyof Change, JsonObject>;

const generation = {
  generation: whole,
  at: time,
  author: text,
  reason: text,
  spec: { type: "object" },
} satisfies Record<keyof Generation, JsonObject>;

const event = {
  at: time,
  firstAt: time,
  count: whole,
  tone: { type: "string", enum: ["normal", "warning"] },
  reason: text,
  message: text,
} satisfies Record<keyof ResourceEvent, JsonObject>;

const look = {
  outcome: { type: "string", enum: ["done", "waiting", "failed", "never", "paused"] },
  why: { ...text, description: "What it saw and decided, and what it waits for." },
  lookedAt: timeOrNull,
  nextAt: timeOrNull,
  failures: { ...whole, description: "Failures in a row." },
  replica: { type: ["string", "null"] },
} satisfies Record<keyof Look, JsonObject>;

const action = {
  summary: text,
  input: jsonSchemaItself,
  output: jsonSchemaItself,
  secret: { type: "boolean", description: "Its input or answer holds a secret, which is never kept." },
  fresh: { type: "boolean", description: "A session must have proved its identity in the last minutes." },
} satisfies Record<keyof ActionDescription, JsonObject>;

const kind = {
  name: text,
  plural: text,
  shortNames: texts,
  summary: text,
  levels: { type: "array", items: { type: "string", enum: [...levels] } },
  opensScope: { type: "boolean" },
  reads: { ...texts, description: "Verbs that only read, beside `read` itself." },
  ownerOnly: { ...texts, description: "Verbs that only the role `owner` has." },
  actions: { type: "object", additionalProperties: objectSchema(action, Object.keys(action)) },
  fields: { ...texts, description: "Fields to select by." },
  columns: {
    type: "array",
    items: objectSchema({ title: text, wide: { type: "boolean" } }, ["title", "wide"]),
  },
  spec: jsonSchemaItself,
  status: jsonSchemaItself,
  example: { ...text, description: "A manifest that works, as YAML." },
  permissions: texts,
} satisfies Record<keyof KindDescription, JsonObject>;

const problem = {
  type: text,
  title: text,
  status: whole,
  kind: { type: "string", enum: [...faultKinds] },
  detail: text,
  next: { ...text, description: "What to do now." },
  errors: { type: "array", items: schemaRef("FieldError") },
  requestId: text,
};

const server = {
  version: text,
  timeline: { ...text, description: "Changes when the database was restored: revisions start anew." },
  replica: text,
  roles: texts,
  startedAt: time,
};

const use = { kind: text, scope: text, name: text, pointer: text } satisfies Record<keyof Use, JsonObject>;
const address = { kind: text, scope: text, name: text } satisfies Record<keyof Address, JsonObject>;
const held = { kind: text, count: whole } satisfies Record<keyof Held, JsonObject>;
const hold = { finalizer: text, kind: text, count: whole, why: text };

const bulkResult = {
  oneOf: [
    objectSchema(
      {
        outcome: { type: "string", enum: ["created", "updated", "unchanged"] },
        resource: schemaRef("Resource"),
      },
      ["outcome", "resource"],
    ),
    objectSchema({ problem: schemaRef("Problem") }, ["problem"]),
  ],
};

/** The answers that are the same for all kinds. `satisfies` above makes a field added to the model be described here. */
export const answerSchemas: JsonObject = {
  Problem: objectSchema(
    problem,
    ["type", "title", "status", "kind", "detail"],
    "Problem Details (RFC 9457).",
  ),
  FieldError: objectSchema(fieldError, ["pointer", "message"], "One wrong field."),
  Change: objectSchema(change, ["pointer"], "One difference; a missing side means added or removed."),
  History: listSchema(objectSchema(generation, Object.keys(generation)), "Generations, newest first."),
  Rollback: {
    ...objectSchema({ generation: { ...whole, minimum: 1 } }, ["generation"]),
    additionalProperties: false,
  },
  Events: listSchema(objectSchema(event, Object.keys(event)), "Events, newest first; repeats are counted."),
  Look: objectSchema(look, Object.keys(look), "What a reconciler made of its last look at a resource."),
  Hold: objectSchema(
    hold,
    ["count", "why"],
    "A finalizer, or resources of a kind, that keep a resource from going.",
  ),
  Use: objectSchema(use, Object.keys(use), "A resource that uses this one, and the place that says so."),
  Why: objectSchema(
    {
      look: { anyOf: [schemaRef("Look"), { type: "null" }] },
      holds: { type: "array", items: schemaRef("Hold") },
      usedBy: { type: "array", items: schemaRef("Use") },
      owned: {
        type: "array",
        items: objectSchema(address, Object.keys(address)),
        description: "What belongs to it, at most 100 of it.",
      },
      goesWith: {
        type: "array",
        items: objectSchema(held, Object.keys(held)),
        description: "What a deletion would take with it, by kind.",
      },
    },
    ["look", "holds", "usedBy", "owned", "goesWith"],
  ),
  Bulk: {
    ...objectSchema(
      { resources: { type: "array", items: schemaRef("Manifest"), minItems: 1, maxItems: 1000 } },
      ["resources"],
    ),
    additionalProperties: false,
  },
  BulkResults: objectSchema({ results: { type: "array", items: bulkResult } }, ["results"]),
  Kind: objectSchema(kind, Object.keys(kind), "A kind, told so that it need not be known beforehand."),
  Kinds: listSchema(schemaRef("Kind")),
  Server: objectSchema(server, Object.keys(server)),
  Inside: listSchema({ type: "object" }, "Rows whose fields may change at any time."),
};
