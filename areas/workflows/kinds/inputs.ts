import { escapePointer, Fault, type FieldError, type Json, type JsonObject, sameJson } from "@reeve/model";
import { z } from "zod";
import { fitsPattern, patternedLimit, patternTrouble } from "./pattern.ts";
import { json, variableName } from "./words.ts";

const inputTypes = ["text", "number", "integer", "boolean", "choice", "list", "json"] as const;
const inputsLimit = 64 * 1024;

const inputSpec = z
  .strictObject({
    type: z.enum(inputTypes).default("text"),
    description: z.string().max(2000).optional(),
    required: z.boolean().optional().describe("Whether a trigger must give it. Null when it is not given."),
    default: json.optional(),
    pattern: z
      .string()
      .superRefine((pattern, context) => {
        const trouble = patternTrouble(pattern);
        if (trouble !== undefined) context.addIssue({ code: "custom", message: trouble });
      })
      .optional()
      .describe(`A regular expression for the whole text, of at most ${patternedLimit} characters.`),
    choices: z
      .array(json)
      .min(1)
      .max(1000)
      .optional()
      .describe("Of the type choice: what there is to choose from."),
    least: z.number().optional().describe("Of numbers, or the length of a list."),
    most: z.number().optional().describe("Of numbers, or the length of a list."),
  })
  .superRefine((input, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if ((input.type === "choice") !== (input.choices !== undefined))
      wrong("choices", "belongs to the type choice, which needs it");
    if (input.pattern !== undefined && input.type !== "text")
      wrong("pattern", "is for inputs of the type text");
    if (input.required && input.default !== undefined)
      wrong("default", "what is required needs no default: it is always given");
    const trouble = input.default === undefined ? undefined : troubleWith(input as InputSpec, input.default);
    if (trouble !== undefined) wrong("default", trouble);
  });

export type InputSpec = z.infer<typeof inputSpec>;

export const inputsSpec = z.record(variableName, inputSpec);

/** The inputs of a run: what was given, checked, with defaults. Every mistake is told at once. */
export function readInputs(
  declared: Readonly<Record<string, InputSpec>> = {},
  given: JsonObject = {},
  pointer = "/inputs",
): JsonObject {
  const errors: FieldError[] = [];
  const wrong = (name: string, message: string) =>
    errors.push({ pointer: `${pointer}/${escapePointer(name)}`, message });
  for (const name of Object.keys(given))
    if (!Object.hasOwn(declared, name))
      wrong(name, `there is no such input; the inputs are ${Object.keys(declared).join(", ") || "none"}`);
  const values: [string, Json][] = Object.entries(declared).map(([name, input]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null) {
      if (input.required) wrong(name, `is required (${wordsOf(input)})`);
      return [name, input.default ?? null];
    }
    const trouble = troubleWith(input, value);
    if (trouble !== undefined) wrong(name, trouble);
    return [name, value];
  });
  const [first] = errors;
  if (first !== undefined)
    throw new Fault("invalid", `${first.pointer}: ${first.message}`, {
      errors,
      next: "give the inputs as they are declared",
    });
  const inputs = Object.fromEntries(values);
  if (JSON.stringify(inputs).length > inputsLimit)
    throw new Fault("too_large", `inputs are at most ${inputsLimit / 1024} KiB`, {
      next: "pass the place of large data instead",
    });
  return inputs;
}

/** What a person typed, as the type wants it: a CLI and a form have only text. */
export function inputFromText(input: InputSpec | undefined, text: string): Json {
  if (input === undefined || input.type === "text") return text;
  if (input.type === "choice")
    return input.choices?.find((one) => one === text || String(one) === text) ?? text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return input.type === "list" ? text.split(",") : text;
  }
}

function troubleWith(input: InputSpec, value: Json): string | undefined {
  const fits: Record<InputSpec["type"], () => boolean> = {
    text: () => typeof value === "string",
    number: () => typeof value === "number",
    integer: () => Number.isSafeInteger(value),
    boolean: () => typeof value === "boolean",
    choice: () => (input.choices ?? []).some((choice) => sameJson(choice, value)),
    list: () => Array.isArray(value),
    json: () => true,
  };
  if (!fits[input.type]()) return `must be ${wordsOf(input)}`;
  if (input.pattern !== undefined && !fitsPattern(value as string, input.pattern))
    return `must match ${input.pattern}`;
  const size = Array.isArray(value) ? value.length : value;
  if (typeof size !== "number") return undefined;
  if (input.least !== undefined && size < input.least) return `must be at least ${input.least}`;
  return input.most !== undefined && size > input.most ? `must be at most ${input.most}` : undefined;
}

function wordsOf({ type, choices = [] }: InputSpec): string {
  const words: Record<InputSpec["type"], string> = {
    text: "a text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    choice: `one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`,
    list: "a list",
    json: "JSON",
  };
  return words[type];
}
