import { commonFields, type JsonObject, permissionOf } from "@reeve/model";
import { exampleAt } from "./openapi-example.ts";
import { changeFaults, readFaults } from "./openapi-faults.ts";
import { schemaRef } from "./openapi-json-schema.ts";
import { jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";
import { changeParameters } from "./openapi-parameters.ts";
import type { Place } from "./openapi-place.ts";
import { pluralName, spoken } from "./openapi-words.ts";

/** What can be done with all resources of a kind in one scope. */
export function collectionPath(place: Place): JsonObject {
  return { get: list(place), post: create(place) };
}

function list({ kind, tag, suffix, where, scopeParameters }: Place): JsonObject {
  const many = spoken(pluralName(kind));
  const fields = [...commonFields, ...(kind.fields ?? [])].map((field) => `\`${field}\``).join(", ");
  const page = jsonAnswer("A page, or with `watch` the stream.", schemaRef(`${kind.name}List`));
  return operation({
    id: `list${pluralName(kind)}${suffix}`,
    tag,
    summary: `List or watch ${many}${where}`,
    description: `${listText}\n\nFields to select by: ${fields}.`,
    needs: { permission: permissionOf(kind, "read") },
    parameters: [
      ...scopeParameters,
      "labels",
      "fields",
      "limit",
      "continue",
      "deep",
      "watch",
      "since",
      "lastEventId",
    ],
    answers: {
      200: { ...page, content: { ...(page.content as JsonObject), "text/event-stream": eventStream } },
    },
    faults: [...readFaults, "gone"],
  });
}

const listText = `A resource that exists while you page is returned exactly once; \`revision\` is that of the first page, so a watch from there closes every gap.

With \`watch=true\` the answer is a stream of server-sent events: \`added\`, \`modified\` and \`removed\` carry \`{ "resource": … }\`, \`synced\` carries \`{ "revision": … }\` and tells that everything up to there has been sent, \`end\` carries \`{ "problem": … }\`. Changes have the revision as their id; reconnect with the last one. Without \`since\` it first sends everything there is as \`added\`, without an id.`;

const eventStream: JsonObject = {
  schema: { type: "string" },
  example:
    'event: added\nid: 813\ndata: {"resource":{}}\n\nevent: synced\nid: 813\ndata: {"revision":813}\n\n',
};

function create(place: Place): JsonObject {
  const { kind, tag, suffix, where, scopeParameters } = place;
  return operation({
    id: `create${kind.name}${suffix}`,
    tag,
    summary: `Create the ${spoken(kind.name)}${where}`,
    description: "Refused with 409 when it exists.",
    needs: { permission: permissionOf(kind, "create") },
    parameters: [...scopeParameters, ...changeParameters],
    body: jsonBody(schemaRef(`${kind.name}Manifest`), exampleAt(place)),
    answers: { 201: jsonAnswer("Created.", schemaRef(kind.name), ["Reeve-Outcome"]) },
    faults: changeFaults,
  });
}
