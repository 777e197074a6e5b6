import { expect, test } from "vitest";
import { readDraft } from "./draft.ts";

const text = `kind: Group
spec:
  members:
    - kind: User
      name: grace
`;
const at = (pointer: string) => {
  const { from, to } = readDraft(text).stretch(pointer);
  return text.slice(from, to);
};

test("a field is found by its key, an item by what it is, and what is missing by what it is missing from", () => {
  expect(at("/spec/members")).toBe("members");
  expect(at("/spec/members/0/name")).toBe("name");
  expect(at("/spec/members/0")).toContain("kind: User");
  expect(at("/spec/claims/3")).toBe("spec");
});

test("a half-written text has its troubles in place and no value", () => {
  const { value, troubles } = readDraft("spec:\n  a: [1, 2\n");
  expect(value).toBeUndefined();
  expect(troubles[0]?.from).toBeGreaterThan(8);
  expect(readDraft("a: b").troubles).toEqual([]);
});
