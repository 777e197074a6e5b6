import { Fault, type FieldError, type Json, type JsonObject } from "@reeve/model";
import { type InputSpec, readInputs } from "./inputs.ts";

type Declared = Readonly<Record<string, InputSpec>>;

/** What a form says of a mistake is what the server would say. */
export function inputErrors(declared: Declared | undefined, given: JsonObject): readonly FieldError[] {
  try {
    readInputs(declared, given);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.errors;
    throw error;
  }
}

/** What a form begins with: a list or an object is easier changed than written anew; what is short is a hint in its empty field. */
export function largeDefaults(declared: Declared = {}): JsonObject {
  const large = Object.entries(declared).filter(([, input]) => typeof input.default === "object");
  return Object.fromEntries(large.map(([name, input]) => [name, input.default ?? null]));
}

/** The inputs of a workflow as the JSON Schema of a form. What the form lets pass, `readInputs` judges. */
export function inputsSchema(inputs: Declared): JsonObject {
  const entries = Object.entries(inputs);
  return {
    type: "object",
    additionalProperties: false,
    required: entries.flatMap(([name, { required }]) => (required ? [name] : [])),
    properties: Object.fromEntries(entries.map(([name, input]) => [name, inputSchema(input)])),
  };
}

function inputSchema(input: InputSpec): JsonObject {
  return {
    ...shapeOf(input),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.default === undefined ? {} : { default: input.default }),
  };
}

function shapeOf({ type, choices = [], least, most, default: usual }: InputSpec): JsonObject {
  const bounds = {
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
  };
  switch (type) {
    case "text":
      return { type: "string" };
    case "number":
    case "integer":
      return { type, ...bounds };
    case "boolean":
      return { type };
    case "choice":
      // Only plain words can be picked from a menu; others are written.
      return choices.some((one) => typeof one === "object") ? {} : { enum: choices };
    case "list":
      return { type: "array", items: areTexts(usual) ? { type: "string" } : {} };
    case "json":
      return {};
  }
}

function areTexts(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === "string");
}
