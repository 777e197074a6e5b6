import { type JsonObject, permissionOf } from "@reeve/model";
import { exampleAt } from "./openapi-example.ts";
import { changeFaults, readFaults } from "./openapi-faults.ts";
import { schemaRef } from "./openapi-json-schema.ts";
import { jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";
import { changeParameters } from "./openapi-parameters.ts";
import type { Place } from "./openapi-place.ts";
import { spoken } from "./openapi-words.ts";

/** What can be done with one resource. */
export function itemPath(place: Place): JsonObject {
  return { get: read(place), put: apply(place), patch: patch(place), delete: remove(place) };
}

function read({ kind, tag, suffix, where, itemParameters }: Place): JsonObject {
  return operation({
    id: `get${kind.name}${suffix}`,
    tag,
    summary: `Read the ${spoken(kind.name)}${where}`,
    needs: { permission: permissionOf(kind, "read") },
    parameters: itemParameters,
    answers: { 200: jsonAnswer("The resource.", schemaRef(kind.name), ["ETag"]) },
    faults: readFaults,
  });
}

function apply(place: Place): JsonObject {
  const { kind, tag, suffix, where, itemParameters } = place;
  return operation({
    id: `apply${kind.name}${suffix}`,
    tag,
    summary: `Apply the ${spoken(kind.name)}${where}: create it, or replace its spec`,
    description: "Labels, annotations, finalizers, owner and paused change only when they are given.",
    needs: { permission: permissionOf(kind, "update"), toCreate: permissionOf(kind, "create") },
    parameters: [...itemParameters, ...changeParameters],
    body: jsonBody(schemaRef(`${kind.name}Manifest`), exampleAt(place)),
    answers: {
      200: jsonAnswer("Updated, or already so.", schemaRef(kind.name), ["Reeve-Outcome"]),
      201: jsonAnswer("Created.", schemaRef(kind.name), ["Reeve-Outcome"]),
    },
    faults: changeFaults,
  });
}

function patch({ kind, tag, suffix, where, itemParameters }: Place): JsonObject {
  const media = { schema: schemaRef("Patch"), example: { metadata: { labels: { team: "web" } } } };
  return operation({
    id: `patch${kind.name}${suffix}`,
    tag,
    summary: `Change parts of the ${spoken(kind.name)}${where}`,
    description:
      "A JSON merge patch (RFC 7396): null removes a field, an object is merged, all else replaces.",
    needs: { permission: permissionOf(kind, "update") },
    parameters: [...itemParameters, ...changeParameters],
    body: {
      required: true,
      content: { "application/merge-patch+json": media, "application/json": media },
    },
    answers: { 200: jsonAnswer("Updated, or already so.", schemaRef(kind.name), ["Reeve-Outcome"]) },
    faults: changeFaults,
  });
}

function remove({ kind, tag, suffix, where, itemParameters }: Place): JsonObject {
  return operation({
    id: `delete${kind.name}${suffix}`,
    tag,
    summary: `Delete the ${spoken(kind.name)}${where}`,
    needs: { permission: permissionOf(kind, "delete") },
    parameters: [...itemParameters, "force", ...changeParameters],
    answers: {
      200: jsonAnswer("Gone; its last state.", schemaRef(kind.name)),
      202: jsonAnswer(
        "Marked; it goes when what holds it has let go: its finalizers, or what lives in it.",
        schemaRef(kind.name),
      ),
    },
    faults: changeFaults,
  });
}
