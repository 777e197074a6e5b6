import type { FaultKind, JsonObject, Permission } from "@reeve/model";
import type { Demand } from "../../route.ts";
import { faultAnswers } from "./openapi-faults.ts";
import { type ParameterName, parameterRef } from "./openapi-parameters.ts";

/** What an operation demands of its caller. Applying asks another permission when the resource is new. */
type Needs = Demand | { readonly permission: Permission; readonly toCreate: Permission };

export interface Described {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly needs: Needs;
  /** The shared ones by name. All stand at the operation: the page does not show those of a path well. */
  readonly parameters?: readonly (ParameterName | JsonObject)[];
  readonly body?: JsonObject;
  /** By status, or `2XX` where only the route itself knows. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly faults: readonly FaultKind[];
}

export function operation(described: Described): JsonObject {
  const { id, tag, summary, needs, parameters = [], body, answers, faults } = described;
  const description = [described.description, needsText(needs)].filter((text) => text !== undefined);
  return {
    tags: [tag],
    summary,
    description: description.join("\n\n"),
    operationId: id,
    ...permissionMarks(needs),
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map((one) => (typeof one === "string" ? parameterRef(one) : one)) }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...answers, ...faultAnswers(faults) },
    ...(needs === "public" ? { security: [] } : {}),
  };
}

export function jsonAnswer(
  description: string,
  schema: JsonObject,
  headers: readonly string[] = [],
): JsonObject {
  const refs = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description,
    ...(refs.length === 0 ? {} : { headers: Object.fromEntries(refs) }),
    content: { "application/json": { schema } },
  };
}

export function jsonBody(schema: JsonObject, example?: JsonObject): JsonObject {
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { required: true, content: { "application/json": media } };
}

function needsText(needs: Needs): string {
  if (needs === "public") return "Needs no credential.";
  if (needs === "signed-in") return "Needs a valid credential, no permission.";
  if (needs === "own")
    return "Needs a valid credential, no permission; a token that was made for less than its subject may is refused.";
  if (needs === "session") return "Needs a person's session; a token is refused.";
  if (needs === "fresh")
    return "Needs a session that proved its identity in the last 10 minutes; a token is refused.";
  if (needs === "operation") return "What it needs depends on what is asked for.";
  if ("loopbackOr" in needs)
    return `Needs the permission \`${needs.loopbackOr}\` in the installation, except from the server's own machine.`;
  if ("toCreate" in needs)
    return `Needs the permission \`${needs.permission}\`, or \`${needs.toCreate}\` when the resource is not there yet.`;
  return `Needs the permission \`${needs.permission}\`.`;
}

function permissionMarks(needs: Needs): JsonObject {
  if (typeof needs === "string") return {};
  const permission = "loopbackOr" in needs ? needs.loopbackOr : needs.permission;
  return {
    "x-reeve-permission": permission,
    ...("toCreate" in needs ? { "x-reeve-permission-to-create": needs.toCreate } : {}),
  };
}
