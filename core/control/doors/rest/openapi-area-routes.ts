import type { JsonObject } from "@reeve/model";
import type { AreaRoute } from "../../route.ts";
import { changeFaults, readFaults } from "./openapi-faults.ts";
import { componentPointer, jsonSchema, schemaRef } from "./openapi-json-schema.ts";
import { jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";
import { serverTag } from "./openapi-server.ts";
import { pascal, uncapital } from "./openapi-words.ts";

export const signingInTag = "Signing in";

/** The routes that areas add beyond their kinds. */
export function areaRoutePaths(routes: readonly AreaRoute[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described(route) };
  }
  return paths;
}

export function areaRouteSchemas(routes: readonly AreaRoute[]): JsonObject {
  const schemas: JsonObject = {};
  for (const route of routes) {
    const [body, answer] = [`${routeName(route)}Body`, `${routeName(route)}Answer`];
    if (route.body !== undefined) schemas[body] = jsonSchema(route.body, "input", componentPointer(body));
    if (route.answer !== undefined)
      schemas[answer] = jsonSchema(route.answer, "output", componentPointer(answer));
  }
  return schemas;
}

function described(route: AreaRoute): JsonObject {
  const { method, summary, demand, body, attemptsPerMinute, streams } = route;
  const limit = `At most ${attemptsPerMinute} attempts a minute from one address.`;
  return operation({
    id: uncapital(routeName(route)),
    // A route that asks for no permission can only be about the caller: a session, an identity, its rights.
    tag: route.tag ?? (typeof demand === "string" && demand !== "operation" ? signingInTag : serverTag),
    summary,
    ...(attemptsPerMinute === undefined ? {} : { description: limit }),
    ...(route.description === undefined ? {} : { description: route.description }),
    needs: demand,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body === undefined ? {} : { body: jsonBody(schemaRef(`${routeName(route)}Body`)) }),
    answers: { [route.status ?? 200]: streaming(answerOf(route), streams) },
    faults: method === "GET" ? readFaults : changeFaults,
  });
}

function answerOf(route: AreaRoute): JsonObject {
  if (route.sends !== undefined) {
    const content = route.sends.map((type) => [type, { schema: { type: "string" } }]);
    return { description: "Done.", content: Object.fromEntries(content) };
  }
  if (route.streams === "always") return { description: "A stream.", content: {} };
  if (route.answer === undefined) return { description: "Sends the browser on." };
  return jsonAnswer("Done.", schemaRef(`${routeName(route)}Answer`));
}

function streaming(answer: JsonObject, streams: AreaRoute["streams"]): JsonObject {
  if (streams === undefined) return answer;
  const events = { "text/event-stream": { schema: { type: "string" } } };
  return { ...answer, content: { ...(answer.content as JsonObject), ...events } };
}

/** `DELETE /sessions/:id` is DeleteSessionsId. */
function routeName({ method, path }: AreaRoute): string {
  return pascal(method.toLowerCase() + path);
}

function pathParameters({ path }: AreaRoute): JsonObject[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((found) => found[1] as string);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function queryParameters({ query }: AreaRoute): JsonObject[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(query, "input") as {
    properties?: JsonObject;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    schema,
    ...(required.includes(name) ? { required: true } : {}),
  }));
}
