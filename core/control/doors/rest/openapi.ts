import type { JsonObject, Registry } from "@reeve/model";
import type { AreaRoute } from "../../route.ts";
import { runsTag } from "../../runs/parts.ts";
import { answerSchemas } from "./openapi-answer-schemas.ts";
import { areaRoutePaths, areaRouteSchemas, signingInTag } from "./openapi-area-routes.ts";
import { auditPaths, auditSchemas, auditTag } from "./openapi-audit.ts";
import { collectionPath } from "./openapi-collection.ts";
import { faultComponents } from "./openapi-faults.ts";
import { itemPath } from "./openapi-item.ts";
import { itemOperationPaths } from "./openapi-item-operations.ts";
import { kindSchemas } from "./openapi-kind-schemas.ts";
import { parameters } from "./openapi-parameters.ts";
import { type Place, placesOf } from "./openapi-place.ts";
import { resourceSchemas } from "./openapi-resource-schemas.ts";
import { allKindsPaths, allKindsTag, serverPaths, serverTag } from "./openapi-server.ts";

interface ApiParts {
  readonly registry: Registry;
  readonly routes: readonly AreaRoute[];
  readonly version: string;
}

/**
 * The whole API as OpenAPI 3.1, derived from the kinds and routes it is made of, so that it cannot tell anything else
 * than they do. The same parts give the same text: the document is checked in and compared.
 */
export function openApiDocument({ registry, routes, version }: ApiParts): JsonObject {
  const places = placesOf(registry);
  return {
    openapi: "3.1.0",
    info: {
      title: "Reeve API",
      version,
      summary: "One control plane for everything a small team runs.",
      description,
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { session: [] }],
    tags: tags(places),
    paths: {
      ...areaRoutePaths(routes),
      ...allKindsPaths(registry),
      ...Object.fromEntries(places.flatMap(placePaths)),
      ...auditPaths,
      ...serverPaths,
    },
    components: {
      securitySchemes,
      parameters,
      headers,
      responses: faultComponents(),
      schemas: {
        ...resourceSchemas(registry),
        ...Object.assign({}, ...registry.kinds.map(kindSchemas)),
        ...answerSchemas,
        ...auditSchemas,
        ...areaRouteSchemas(routes),
      },
    },
  };
}

function placePaths(place: Place): [string, JsonObject][] {
  return [
    [place.collection, collectionPath(place)],
    [place.item, itemPath(place)],
    ...itemOperationPaths(place),
  ];
}

function tags(places: readonly Place[]): JsonObject[] {
  return [
    { name: signingInTag, description: "Sessions, who you are and what you may do." },
    { name: allKindsTag, description: "What concerns all kinds at once." },
    ...places.map(({ tag, kind }) => ({ name: tag, description: kind.summary })),
    { name: runsTag, description: "What is done and was done, and how to steer it." },
    { name: auditTag, description: "Who did what, provable." },
    { name: serverTag, description: "The server itself." },
  ];
}

const description = `Resources live in scopes: the installation, an organization, a project, a workspace. The scope is the first part of a resource's address.

Send a token as \`Authorization: Bearer …\`, or use the session of your browser. Every operation names the permission it needs; what you may not read answers 404. Requests that change something can be tried with \`dryRun=true\`.

Errors are Problem Details (RFC 9457) with a \`kind\` from a closed list, and say what to do next.`;

const securitySchemes: JsonObject = {
  bearer: { type: "http", scheme: "bearer", description: "A token, or a session's token." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-reeve",
    description:
      "Set by signing in with `carry: cookie`; the browser sends it by itself, there is nothing to enter here. Called `reeve` where the server is used over plain HTTP.",
  },
};

const headers: JsonObject = {
  ETag: { description: 'The revision: `"812"`.', schema: { type: "string" } },
  "Reeve-Outcome": {
    description: "What was done.",
    schema: { type: "string", enum: ["created", "updated", "unchanged"] },
  },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
};
