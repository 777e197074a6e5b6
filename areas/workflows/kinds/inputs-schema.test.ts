import { expect, test } from "vitest";
import { inputsSchema } from "./inputs-schema.ts";

test("each type of input has its field, with its bounds, words and default", () => {
  expect(
    inputsSchema({
      day: { type: "text", required: true, description: "Which day." },
      size: { type: "integer", least: 1, most: 9, default: 3 },
      dry: { type: "boolean", default: false },
      zone: { type: "choice", choices: ["a", "b"] },
      shape: { type: "choice", choices: [{ x: 1 }] },
      tags: { type: "list", default: ["x"] },
      numbers: { type: "list", default: [1] },
      more: { type: "json" },
    }),
  ).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["day"],
    properties: {
      day: { type: "string", description: "Which day." },
      size: { type: "integer", minimum: 1, maximum: 9, default: 3 },
      dry: { type: "boolean", default: false },
      zone: { enum: ["a", "b"] },
      shape: {},
      tags: { type: "array", items: { type: "string" }, default: ["x"] },
      numbers: { type: "array", items: {}, default: [1] },
      more: {},
    },
  });
});
