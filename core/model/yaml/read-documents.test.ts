import { expect, test } from "vitest";
import { readDocuments } from "./read-documents.ts";

const team = `# our team
apiVersion: reeve/v1
kind: User
metadata: { name: grace, labels: { a/b: x } }
spec:
  email: not-an-address
  list:
    - name: one
    - name: two
---
kind: &k Project
also: *k
`;

test("a pointer leads to its field, a missing field to what should hold it", () => {
  const [user, project] = readDocuments(team, "team.yaml");
  expect(user?.place("/spec/email")).toBe("team.yaml:6:3");
  expect(user?.place("/spec/list/1/name")).toBe("team.yaml:9:7");
  expect(user?.place("/metadata/labels/a~1b")).toBe("team.yaml:4:36");
  expect(user?.place("/spec/missing/deeper")).toBe("team.yaml:5:1");
  expect(user?.place("")).toBe("team.yaml:2:1");
  expect(project?.place("/also")).toBe("team.yaml:12:1");
  expect(project?.value).toEqual({ kind: "Project", also: "Project" });
});

test("JSON is read with places too, tabs and all", () => {
  const [one] = readDocuments('{\n\t"kind": "User",\n\t"spec": {\n\t\t"email": 1\n\t}\n}\n', "a.json");
  expect(one?.place("/spec/email")).toBe("a.json:4:3");
});

test("a mistake names its line and column", () => {
  expect(() => readDocuments("kind: User\nspec: [1, 2\n", "a.yaml")).toThrow(/^a\.yaml:\d+:\d+: /);
  expect(() => readDocuments("kind: User\nkind: Project\n", "a.yaml")).toThrow(/^a\.yaml:2:1: .*unique/i);
  expect(() => readDocuments("x: !!binary aGk=\n", "a.yaml")).toThrow(/^a\.yaml:1:4: /);
});

test("the core schema keeps words words", () => {
  expect(readDocuments("a: no\nb: 012\nc: 2026-01-01\nd: ~\n", "x")[0]?.value).toEqual({
    a: "no",
    b: 12,
    c: "2026-01-01",
    d: null,
  });
});

test("bombs are refused", () => {
  const lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
  for (let at = 0; at < 8; at++) {
    const [from, to] = [String.fromCharCode(97 + at), String.fromCharCode(98 + at)];
    lines.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(",")}]`);
  }
  expect(() => readDocuments(lines.join("\n"), "bomb.yaml")).toThrow(/bomb\.yaml.*alias/i);
  expect(() => readDocuments("[".repeat(100_000), "deep.yaml")).toThrow(/deep\.yaml/);
});

test("empty documents are none", () => {
  expect(readDocuments("---\n# nothing\n---\n", "x")).toEqual([]);
});
