import { expect, test } from "vitest";
import { readSubject, refOf, subjectWord } from "./subject.ts";

test("a subject is one word, and the word tells it", () => {
  for (const word of ["user:grace", "serviceaccount:acme/shop/ci", "group:acme/developers"]) {
    const subject = readSubject(word);
    expect(subject && subjectWord(subject)).toBe(word);
  }
  expect(readSubject("grace")).toBeUndefined();
  expect(readSubject("robot:x")).toBeUndefined();
});

test("a spec refers to a user without a scope, and to others with theirs", () => {
  expect(refOf({ kind: "User", scope: "", name: "grace" })).toEqual({ kind: "User", name: "grace" });
  expect(refOf({ kind: "Group", scope: "acme", name: "ops" })).toEqual({
    kind: "Group",
    scope: "acme",
    name: "ops",
  });
});
