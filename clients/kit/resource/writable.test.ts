import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { expect, test } from "vitest";
import { complete, writable, writableText } from "./writable.ts";

const kind = { spec: { type: "object", properties: { members: {} } } } as unknown as KindInfo;
const resource = {
  apiVersion: "reeve/v1",
  kind: "Group",
  metadata: {
    scope: "acme",
    name: "developers",
    uid: "u",
    generation: 3,
    revision: 12,
    labels: {},
    annotations: { note: "x" },
    finalizers: [],
    createdAt: "",
    updatedAt: "",
  },
  spec: { members: [] },
  status: { members: ["u2"] },
} as unknown as Resource;

test("what the server alone knows, and what is empty, is not there to be changed", () => {
  expect(writableText(kind, resource)).toBe(
    "apiVersion: reeve/v1\nkind: Group\nmetadata:\n  scope: acme\n  name: developers\n  annotations:\n    note: x\nspec:\n  members: []\n",
  );
});

test("what was deleted from the text is deleted by applying it", () => {
  const { metadata, ...rest } = writable(kind, resource);
  const { annotations: _, ...without } = metadata as Record<string, never>;
  expect(complete({ ...rest, metadata: without }).metadata).toEqual({
    scope: "acme",
    name: "developers",
    labels: {},
    annotations: {},
    finalizers: [],
    owner: null,
    paused: false,
  });
});
