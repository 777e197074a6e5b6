import { apiVersion, baseStatus, isObject, type JsonObject, type Kind, sameJson } from "@reeve/model";
import { exampleOf, shownExample } from "./openapi-example.ts";
import { componentPointer, jsonSchema, objectSchema, schemaRef } from "./openapi-json-schema.ts";
import { pascal, pluralName, spoken } from "./openapi-words.ts";

/** The schemas of one kind: `Project`, `ProjectSpec`, `ProjectStatus`, `ProjectManifest`, `ProjectList` and so on. */
export function kindSchemas(kind: Kind): JsonObject {
  const { name } = kind;
  const one = spoken(name);
  const spec = component(`${name}Spec`, kind.spec, "output");
  const written = component(`${name}ManifestSpec`, kind.spec, "input");
  // What may be written differs from what is shown when fields have defaults; most often it does not.
  const specIsSame = sameJson(spec, component(`${name}Spec`, kind.spec, "input"));
  const head = { apiVersion: { const: apiVersion }, kind: { const: name } };
  return {
    [name]: withExample(
      shownExample(kind),
      objectSchema(
        {
          ...head,
          metadata: schemaRef("Metadata"),
          spec: schemaRef(`${name}Spec`),
          status: schemaRef(`${name}Status`),
        },
        ["apiVersion", "kind", "metadata", "spec", "status"],
        kind.summary,
      ),
    ),
    [`${name}Spec`]: spec,
    ...(specIsSame ? {} : { [`${name}ManifestSpec`]: written }),
    [`${name}Status`]: withCondition(component(`${name}Status`, kind.status, "output")),
    [`${name}Manifest`]: withExample(
      exampleOf(kind),
      objectSchema(
        {
          ...head,
          metadata: schemaRef("ManifestMetadata"),
          spec: schemaRef(specIsSame ? `${name}Spec` : `${name}ManifestSpec`),
          status: { readOnly: true, description: "Left out." },
        },
        ["apiVersion", "kind", "metadata"],
        `What a person writes of the ${one}.`,
      ),
    ),
    [`${name}List`]: objectSchema(
      {
        apiVersion: { const: apiVersion },
        kind: { const: "List" },
        items: { type: "array", items: schemaRef(name) },
        revision: { type: "integer", description: "Watch from here to miss nothing." },
        continue: { type: "string", description: "Asks for the next page; absent on the last." },
      },
      ["kind", "items", "revision"],
      `A page of ${spoken(pluralName(kind))}.`,
    ),
    [`${name}Difference`]: objectSchema(
      {
        outcome: { type: "string", enum: ["created", "updated", "unchanged"] },
        changes: { type: "array", items: schemaRef("Change") },
        before: schemaRef(name),
        after: schemaRef(name),
      },
      ["outcome", "changes", "after"],
      `What applying would change in the ${one}; \`before\` is absent when it is new.`,
    ),
    ...actionSchemas(kind),
  };
}

export function actionSchemaName(kind: Kind, action: string, part: "Input" | "Output"): string {
  return kind.name + pascal(action) + part;
}

function actionSchemas(kind: Kind): JsonObject {
  const schemas: JsonObject = {};
  for (const [name, { input, output }] of Object.entries(kind.actions ?? {})) {
    const [inputName, outputName] = [
      actionSchemaName(kind, name, "Input"),
      actionSchemaName(kind, name, "Output"),
    ];
    schemas[inputName] = component(inputName, input, "input");
    schemas[outputName] = component(outputName, output, "output");
  }
  return schemas;
}

/** Every kind's conditions are the same, so they are described once. */
function withCondition(status: JsonObject): JsonObject {
  const { properties } = status;
  if (!isObject(properties) || !sameJson(properties.conditions, conditions())) return status;
  const shared = { type: "array", items: schemaRef("Condition") };
  return { ...status, properties: { ...properties, conditions: shared } };
}

export function conditionSchema(): JsonObject {
  return (conditions() as { items: JsonObject }).items;
}

function conditions(): unknown {
  return (jsonSchema(baseStatus, "output").properties as JsonObject).conditions;
}

function withExample(example: JsonObject | undefined, schema: JsonObject): JsonObject {
  return example === undefined ? schema : { ...schema, examples: [example] };
}

function component(name: string, type: Kind["spec"], io: "input" | "output"): JsonObject {
  return jsonSchema(type, io, componentPointer(name));
}
