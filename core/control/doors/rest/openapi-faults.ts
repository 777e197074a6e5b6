import { Fault, type FaultKind, faultKinds, type JsonObject } from "@reeve/model";
import { schemaRef } from "./openapi-json-schema.ts";
import { pascal } from "./openapi-words.ts";
import { problemOf } from "./problem.ts";

const meanings = {
  invalid: "The named fields are wrong.",
  unauthenticated: "No credential, or not a valid one.",
  forbidden: "Known, but not allowed; `detail` names the permission.",
  not_found: "Not there, or not for you to know.",
  exists: "It exists already, or it was changed meanwhile.",
  conflict: "It exists already, or it was changed meanwhile.",
  precondition: "Not possible in this state; `detail` says which.",
  gone: "The revision is no longer kept: list again.",
  too_large: "The body is over the limit.",
  exhausted: "Too many requests; `Retry-After` says when to come back.",
  unavailable: "Try again; nothing was changed unless a repeat with the same key says so.",
  internal: "Our mistake; `requestId` finds it in the log.",
} as const satisfies Record<FaultKind, string>;

/** A body that could not even be read is `invalid` too, under a status of its own. */
const unreadable = { name: "Unreadable", status: 400, meaning: "The request could not be read." };

const later: readonly FaultKind[] = ["exhausted", "unavailable", "internal"];
export const readFaults: readonly FaultKind[] = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  ...later,
];
export const changeFaults: readonly FaultKind[] = [
  ...readFaults,
  "exists",
  "conflict",
  "precondition",
  "too_large",
];

/** The answers of an operation that can fail in these ways, by status, each by reference. */
export function faultAnswers(kinds: readonly FaultKind[]): Record<string, JsonObject> {
  const answers: Record<string, JsonObject> = {};
  for (const kind of kinds) answers[statusOf(kind)] = answerRef(componentName(kind));
  if (kinds.includes("invalid")) answers[unreadable.status] = answerRef(unreadable.name);
  return answers;
}

/** The answers themselves. Their examples come from the function that makes the real ones. */
export function faultComponents(): JsonObject {
  const components: JsonObject = {
    [unreadable.name]: problemAnswer("invalid", unreadable.meaning, unreadable.status),
  };
  for (const kind of faultKinds)
    components[componentName(kind)] = problemAnswer(kind, meanings[kind], statusOf(kind));
  return components;
}

function problemAnswer(kind: FaultKind, description: string, status: number): JsonObject {
  const example = {
    ...problemOf(new Fault(kind, description), "0198c0de-0000-7000-8000-000000000000").body,
    status,
  };
  const waits = kind === "exhausted" || kind === "unavailable";
  const headers = waits ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : undefined;
  return {
    description,
    ...(headers === undefined ? {} : { headers }),
    content: { "application/problem+json": { schema: schemaRef("Problem"), example } },
  };
}

function statusOf(kind: FaultKind): number {
  return problemOf(new Fault(kind, ""), "").status;
}

/** `exists` and `conflict` share a status, so they share an answer. */
function componentName(kind: FaultKind): string {
  return pascal(kind === "exists" ? "conflict" : kind);
}

function answerRef(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}
