import { baseStatus, defineKind, nameOf, scopeText, yes } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeKind } from "./kind-description.ts";

const Widget = defineKind({
  name: "Widget",
  plural: "widgets",
  shortNames: ["wi"],
  summary: "A thing to test with.",
  levels: ["project"],
  ownerOnly: ["delete"],
  spec: z.strictObject({ size: z.number().default(1), name: z.string().refine((text) => text !== "no") }),
  status: baseStatus.extend({ seen: z.string() }),
  columns: [{ title: "Size", wide: true, value: (widget) => widget.spec.size }],
  fields: ["spec.size"],
  actions: {
    spin: {
      summary: "Spin it.",
      input: z.strictObject({ times: z.int() }),
      output: z.object({ dizzy: z.boolean() }),
      can: () => yes,
      secret: true,
    },
  },
  example: "kind: Widget\n",
});

test("a kind tells all that is needed to address, explain and complete it", () => {
  const told = describeKind(Widget);
  expect(told).toMatchObject({
    name: "Widget",
    plural: "widgets",
    shortNames: ["wi"],
    levels: ["project"],
    opensScope: false,
    reads: [],
    ownerOnly: ["delete"],
    fields: ["spec.size"],
    columns: [{ title: "Size", wide: true }],
    actions: {
      spin: {
        summary: "Spin it.",
        input: { required: ["times"] },
        output: { required: ["dizzy"] },
        secret: true,
        fresh: false,
      },
    },
    status: { properties: { seen: { type: "string" } } },
    permissions: ["widgets:read", "widgets:create", "widgets:update", "widgets:delete", "widgets:spin"],
  });
  // A field with a default need not be written.
  expect(told.spec.required).toEqual(["name"]);
  expect(JSON.parse(JSON.stringify(told))).toEqual(told);
});

test("what forms should know of a text is in the schema, also of one that may be left out", () => {
  const spec = z.strictObject({
    channel: nameOf("Channel").optional().describe("Who is told."),
    where: scopeText.optional(),
  });
  expect(describeKind({ ...Widget, spec }).spec.properties).toEqual({
    channel: { type: "string", description: "Who is told.", "x-kind": "Channel" },
    where: { type: "string", format: "reeve-scope" },
  });
});

test("a kind's schemas are made once", () => {
  expect(describeKind(Widget)).toBe(describeKind(Widget));
});
