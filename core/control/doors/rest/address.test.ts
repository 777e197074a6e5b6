import { baseStatus, defineKind, kindRegistry, type Level } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkPlurals, readTarget, subOperations } from "./address.ts";

function kind(name: string, plural: string, levels: Level[], opensScope = false) {
  const spec = z.strictObject({});
  return defineKind({
    name,
    plural,
    shortNames: [],
    summary: "",
    levels,
    opensScope,
    spec,
    status: baseStatus,
    columns: [],
    example: "",
  });
}

const Organization = kind("Organization", "organizations", ["installation"], true);
const Project = kind("Project", "projects", ["organization"], true);
const Thing = kind("Thing", "things", ["organization", "project"]);
const registry = kindRegistry([Organization, Project, Thing]);

test.each(subOperations)("a kind cannot take the word %s, which REST uses for an operation", (word) => {
  expect(() => checkPlurals(kindRegistry([kind("Thing", word, ["organization"])]))).toThrow(word);
  expect(() => checkPlurals(registry)).not.toThrow();
});

test("two kinds that answer to the same word stop the start", () => {
  expect(() => kindRegistry([Thing, kind("Other", "things", ["project"])])).toThrow("things");
  expect(() =>
    kindRegistry([Thing, { ...kind("Other", "others", ["project"]), shortNames: ["thing"] }]),
  ).toThrow("thing");
  expect(() => kindRegistry([Thing, kind("Thing", "others", ["project"])])).toThrow("thing");
});

test.each([
  ["organizations", { kind: Organization, scope: "" }],
  ["organizations/acme", { kind: Organization, scope: "", name: "acme" }],
  ["organizations/acme/projects/shop", { kind: Project, scope: "acme", name: "shop" }],
  ["organizations/acme/projects/shop/things", { kind: Thing, scope: "acme/shop" }],
  [
    "organizations/acme/projects/shop/history",
    { kind: Project, scope: "acme", name: "shop", sub: "history" },
  ],
  [
    "organizations/acme/things/x/actions/go",
    { kind: Thing, scope: "acme", name: "x", sub: "actions", action: "go" },
  ],
])("%s is read as what it names", (path, expected) => {
  expect(readTarget(path, registry)).toEqual(expected);
});

test.each([
  "",
  "/",
  "nothing",
  "things",
  "organizations/acme/things/x/nothing",
  "organizations/acme/things/x/actions",
  "organizations/acme/things/x/history/more",
  "organizations/acme/things/x/actions/go/on",
  "organizations/acme/projects/shop/projects",
  "projects/shop/things",
  "organizations/acme/organizations/beta",
])("%s names nothing", (path) => {
  expect(() => readTarget(path, registry)).toThrow(expect.objectContaining({ kind: "not_found" }));
});

test.each([
  "organizations/Acme",
  "organizations/-x",
  "organizations/a..b",
  "organizations/",
  `organizations/${"a".repeat(64)}`,
])("%s holds something that is no name", (path) => {
  expect(() => readTarget(path, registry)).toThrow(expect.objectContaining({ kind: "invalid" }));
});
