import { type Action, type JsonObject, permissionOf } from "@reeve/model";
import { exampleAt } from "./openapi-example.ts";
import { changeFaults, readFaults } from "./openapi-faults.ts";
import { schemaRef } from "./openapi-json-schema.ts";
import { actionSchemaName } from "./openapi-kind-schemas.ts";
import { type Described, jsonAnswer, jsonBody, operation } from "./openapi-operation.ts";
import { changeParameters } from "./openapi-parameters.ts";
import type { Place } from "./openapi-place.ts";
import { pascal, spoken, uncapital } from "./openapi-words.ts";

/** The paths below one resource: what it would become, what it was, what happened to it, and the kind's own verbs. */
export function itemOperationPaths(place: Place): [string, JsonObject][] {
  const path = (tail: string, method: string, described: Described): [string, JsonObject] => [
    `${place.item}/${tail}`,
    {
      [method]: operation({
        ...described,
        parameters: [...place.itemParameters, ...(described.parameters ?? [])],
      }),
    },
  ];
  return [
    path("diff", "post", diff(place)),
    path("history", "get", history(place)),
    path("rollback", "post", rollback(place)),
    path("events", "get", events(place)),
    path("why", "get", why(place)),
    ...Object.entries(place.kind.actions ?? {}).map(([name, action]) =>
      path(`actions/${name}`, "post", act(place, name, action)),
    ),
  ];
}

function diff(place: Place): Described {
  const { kind, tag, suffix, where } = place;
  return {
    id: `diff${kind.name}${suffix}`,
    tag,
    summary: `What applying would change in the ${spoken(kind.name)}${where}`,
    description: "Nothing is kept. What apply would refuse is refused here too.",
    needs: { permission: permissionOf(kind, "update"), toCreate: permissionOf(kind, "create") },
    body: jsonBody(schemaRef(`${kind.name}Manifest`), exampleAt(place)),
    answers: { 200: jsonAnswer("The difference.", schemaRef(`${kind.name}Difference`)) },
    faults: changeFaults,
  };
}

function history({ kind, tag, suffix, where }: Place): Described {
  return {
    id: `list${kind.name}History${suffix}`,
    tag,
    summary: `Earlier specs of the ${spoken(kind.name)}${where}, newest first`,
    needs: { permission: permissionOf(kind, "read") },
    parameters: ["historyLimit", "before"],
    answers: { 200: jsonAnswer("The generations.", schemaRef("History")) },
    faults: readFaults,
  };
}

function rollback({ kind, tag, suffix, where }: Place): Described {
  return {
    id: `rollback${kind.name}${suffix}`,
    tag,
    summary: `Roll the ${spoken(kind.name)}${where} back to an earlier spec`,
    description: "The spec of that generation becomes the newest generation.",
    needs: { permission: permissionOf(kind, "update") },
    parameters: changeParameters,
    body: jsonBody(schemaRef("Rollback"), { generation: 1 }),
    answers: { 200: jsonAnswer("Updated, or already so.", schemaRef(kind.name), ["Reeve-Outcome"]) },
    faults: changeFaults,
  };
}

function events({ kind, tag, suffix, where }: Place): Described {
  return {
    id: `list${kind.name}Events${suffix}`,
    tag,
    summary: `What happened to the ${spoken(kind.name)}${where}, newest first`,
    needs: { permission: permissionOf(kind, "read") },
    answers: { 200: jsonAnswer("The events.", schemaRef("Events")) },
    faults: readFaults,
  };
}

function why({ kind, tag, suffix, where }: Place): Described {
  return {
    id: `why${kind.name}${suffix}`,
    tag,
    summary: `Why the ${spoken(kind.name)}${where} is as it is`,
    description:
      "What its reconciler made of it last, what uses it and belongs to it, and what keeps it when it is being deleted.",
    needs: { permission: permissionOf(kind, "read") },
    answers: { 200: jsonAnswer("The reasons.", schemaRef("Why")) },
    faults: readFaults,
  };
}

/** The noun comes first in the id, so that no action can clash with an operation that every kind has. */
function act({ kind, tag, suffix }: Place, name: string, action: Action): Described {
  const input = schemaRef(actionSchemaName(kind, name, "Input"));
  const notes = [
    ...(action.secret
      ? ["Input or answer holds a secret: it is never logged nor kept, and a repeat does it again."]
      : []),
    ...(action.fresh ? ["A session must have proved its identity in the last 10 minutes."] : []),
    ...(action.fresh === true ? ["A token cannot do it."] : []),
  ];
  return {
    id: `${uncapital(kind.name)}${pascal(name)}${suffix}`,
    tag,
    summary: action.summary,
    ...(notes.length > 0 ? { description: notes.join(" ") } : {}),
    needs: { permission: permissionOf(kind, name) },
    parameters: changeParameters,
    body: { ...jsonBody(input), required: !action.input.safeParse({}).success },
    answers: { 200: jsonAnswer("Done.", schemaRef(actionSchemaName(kind, name, "Output"))) },
    faults: changeFaults,
  };
}
