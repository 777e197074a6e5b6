import type { JsonObject, Registry } from "@reeve/model";
import { debugTopics } from "./debug-topics.ts";
import { exampleOf } from "./openapi-example.ts";
import { changeFaults, readFaults } from "./openapi-faults.ts";
import { objectSchema, schemaRef } from "./openapi-json-schema.ts";
import { jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";

export const allKindsTag = "All kinds";
export const serverTag = "Server";

/** What concerns all kinds at once. */
export function allKindsPaths(registry: Registry): JsonObject {
  const examples = registry.kinds.slice(0, 2).flatMap((kind) => exampleOf(kind) ?? []);
  return {
    "/api/v1/apply": {
      post: operation({
        id: "applyMany",
        tag: allKindsTag,
        summary: "Apply many resources of any kind",
        description:
          "At most 1000, in their order; the results come in the same order, and one failure does not stop the others.",
        needs: "operation",
        parameters: ["dryRun", "reason", "ifNoneMatch", "idempotencyKey"],
        body: jsonBody(schemaRef("Bulk"), { resources: examples }),
        answers: { 200: jsonAnswer("One result for each.", schemaRef("BulkResults")) },
        faults: changeFaults,
      }),
    },
    "/api/v1/kinds": {
      get: operation({
        id: "listKinds",
        tag: allKindsTag,
        summary: "The kinds, with their fields, actions and permissions",
        needs: "signed-in",
        answers: { 200: jsonAnswer("The kinds.", schemaRef("Kinds")) },
        faults: readFaults,
      }),
    },
  };
}

const readiness = objectSchema(
  { ready: { type: "boolean" }, reasons: { type: "array", items: { type: "string" } } },
  ["ready", "reasons"],
);

const debugTopic: JsonObject = {
  name: "topic",
  in: "path",
  required: true,
  schema: { type: "string", enum: [...debugTopics] },
};

/** What is about the server rather than about any kind. */
export const serverPaths: JsonObject = {
  "/api/v1/server": {
    get: operation({
      id: "getServer",
      tag: serverTag,
      summary: "Which server this is",
      needs: "signed-in",
      answers: { 200: jsonAnswer("The server.", schemaRef("Server")) },
      faults: readFaults,
    }),
  },
  "/api/v1/debug/{topic}": {
    get: operation({
      id: "getDebug",
      tag: serverTag,
      summary: "The inside of the server",
      needs: { permission: "installation:debug" },
      parameters: [debugTopic],
      answers: { 200: jsonAnswer("What there is of the topic.", schemaRef("Inside")) },
      faults: readFaults,
    }),
  },
  "/livez": {
    get: operation({
      id: "getLivez",
      tag: serverTag,
      summary: "Whether the process lives",
      needs: "public",
      answers: { 200: jsonAnswer("It does.", objectSchema({ live: { const: true } }, ["live"])) },
      faults: [],
    }),
  },
  "/readyz": {
    get: operation({
      id: "getReadyz",
      tag: serverTag,
      summary: "Whether this replica should get traffic",
      needs: "public",
      answers: {
        200: jsonAnswer("It should.", readiness),
        503: jsonAnswer("It should not, and why.", readiness),
      },
      faults: [],
    }),
  },
  "/metrics": {
    get: operation({
      id: "getMetrics",
      tag: serverTag,
      summary: "Figures for Prometheus",
      needs: { loopbackOr: "installation:metrics" },
      answers: {
        200: { description: "The figures.", content: { "text/plain": { schema: { type: "string" } } } },
      },
      faults: readFaults,
    }),
  },
};
