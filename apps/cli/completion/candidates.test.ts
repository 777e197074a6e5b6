import { type AnyVerb, defineVerb, flag, text, texts } from "@reeve/sdk/cli";
import { expect, test } from "vitest";
import type { CliDesk } from "../desk.ts";
import { candidates, type Words } from "./candidates.ts";

const common = { group: "read", summary: "", example: "", run: async () => 0 } as const;
const verbs: AnyVerb<CliDesk>[] = [
  defineVerb<CliDesk>()({
    ...common,
    name: "get",
    args: [
      { name: "KIND", completes: "target" },
      { name: "NAME", optional: true, many: true, completes: "name" },
    ],
    options: { watch: flag("", "w") },
  }),
  defineVerb<CliDesk>()({
    ...common,
    name: "apply",
    options: { file: texts("FILE", "", { short: "f", completes: "file" }), dryRun: flag("") },
  }),
  defineVerb<CliDesk>()({ ...common, name: "context use", args: [{ name: "NAME", completes: "context" }] }),
  defineVerb<CliDesk>()({ ...common, name: "context list" }),
  defineVerb<CliDesk>()({
    ...common,
    name: "wait",
    options: { for: text("WHAT", "", { completes: ["deleted", "exists"] }) },
  }),
  defineVerb<CliDesk>()({ ...common, name: "secret", hidden: true }),
];
const known: Words = {
  kinds: () => ["projects", "serviceaccounts"],
  contexts: () => ["home", "work"],
  names: async (kind, scope) => (kind === "sa" ? (scope === "acme/shop" ? ["far"] : ["ci", "deployer"]) : []),
  scopes: async (prefix) => (prefix === "" ? ["acme"] : [`${prefix}/shop`]),
};
const at = (line: string) => candidates(line.split(" "), verbs, known);

test("verbs, and the verbs of a family; hidden ones are not offered", async () => {
  expect(await at("")).toEqual(["apply", "context", "get", "wait"]);
  expect(await at("context ")).toEqual(["list", "use"]);
  expect(await at("ge")).toEqual(["get"]);
});

test("kinds, then names, also with a scope", async () => {
  expect(await at("get p")).toEqual(["projects"]);
  expect(await at("get sa ")).toEqual(["ci", "deployer"]);
  expect(await at("get sa ci d")).toEqual(["deployer"]);
  expect(await at("get sa/c")).toEqual(["sa/ci"]);
  expect(await at("get sa/acme/shop/")).toEqual(["sa/acme/shop/far"]);
});

test("flags of the verb and of all, and what they take", async () => {
  expect(await at("apply --d")).toEqual(["--deep", "--dry-run"]);
  expect(await at("get -o j")).toEqual(["json"]);
  expect(await at("get --scope acme/")).toEqual(["acme/shop"]);
  expect(await at("wait --for ")).toEqual(["deleted", "exists"]);
  expect(await at("apply -f ")).toEqual([]);
});

test("what a flag takes does not count as an argument", async () => {
  expect(await at("get --context work sa ")).toEqual(["ci", "deployer"]);
  expect(await at("get -w sa ")).toEqual(["ci", "deployer"]);
  expect(await at("context use ")).toEqual(["home", "work"]);
});
