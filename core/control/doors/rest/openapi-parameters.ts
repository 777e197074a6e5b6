import { type JsonObject, nameLimit, namePattern, nameRule } from "@reeve/model";

const flag: JsonObject = { type: "boolean" };
const name: JsonObject = { type: "string", pattern: namePattern.source, maxLength: nameLimit };

/** The parameters that operations share. No examples on optional ones: the page would send them along. */
export const parameters = {
  organization: inPath("organization", "The organization's name.", "acme"),
  project: inPath("project", "The project's name.", "shop"),
  workspace: inPath("workspace", "The workspace's name.", "production"),
  name: inPath("name", `The resource's name: ${nameRule}.`),

  labels: inQuery("labels", "By labels: `tier=web,env!=dev,team in (a,b),canary,!old`.", { type: "string" }),
  fields: inQuery("fields", "By fields that the kind names: `spec.role=owner`.", { type: "string" }),
  limit: inQuery("limit", "Items in one page.", { type: "integer", minimum: 1, maximum: 1000, default: 100 }),
  continue: inQuery("continue", "Where the page before ended: its `continue`.", { type: "string" }),
  deep: inQuery("deep", "Also what lives in the scopes below.", flag),
  watch: inQuery("watch", "Answer with a stream of changes that does not end by itself.", flag),
  since: inQuery("since", "With `watch`: begin after this revision.", { type: "integer", minimum: 0 }),
  lastEventId: inHeader("Last-Event-ID", "With `watch`: the last id received; goes before `since`.", {
    type: "integer",
    minimum: 0,
  }),

  dryRun: inQuery("dryRun", "Check in full and answer as if done; nothing is kept.", flag),
  reason: inQuery("reason", "Why; kept in history and audit.", { type: "string", maxLength: 500 }),
  force: inQuery("force", "End without waiting for finalizers.", flag),
  ifMatch: inHeader("If-Match", 'Refuse with 409 unless the resource has this revision: `"812"`.', {
    type: "string",
    pattern: '^"?[0-9]{1,16}"?$',
  }),
  ifNoneMatch: inHeader("If-None-Match", "Refuse when the resource exists.", { type: "string", enum: ["*"] }),
  idempotencyKey: inHeader(
    "Idempotency-Key",
    "A repeat with the same key within 24 hours gets the first answer again; a different request is refused.",
    { type: "string", pattern: "^[!-~]{1,200}$" },
  ),

  historyLimit: inQuery("limit", "How many generations.", {
    type: "integer",
    minimum: 1,
    maximum: 1000,
    default: 50,
  }),
  before: inQuery("before", "Only generations before this one.", { type: "integer", minimum: 1 }),
} satisfies Record<string, JsonObject>;

export type ParameterName = keyof typeof parameters;

export function parameterRef(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** What every request that changes a resource takes. */
export const changeParameters: readonly ParameterName[] = [
  "dryRun",
  "reason",
  "ifMatch",
  "ifNoneMatch",
  "idempotencyKey",
];

function inPath(parameter: string, description: string, example?: string): JsonObject {
  const always = { name: parameter, in: "path", required: true, description, schema: name };
  return example === undefined ? always : { ...always, example };
}

function inQuery(parameter: string, description: string, schema: JsonObject): JsonObject {
  return { name: parameter, in: "query", description, schema };
}

function inHeader(parameter: string, description: string, schema: JsonObject): JsonObject {
  return { name: parameter, in: "header", description, schema };
}
