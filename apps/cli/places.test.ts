import { Organization, Project, RoleBinding, ServiceAccount, Workspace } from "@reeve/access/kinds";
import { expect, test } from "vitest";
import { fitScope, placeOf, splitTarget } from "./places.ts";

const standing = (scope: string) => ({ scope, explicit: false });
const named = (scope: string) => ({ scope, explicit: true });

test("whoever stands deeper than a kind lives means the ancestor", () => {
  expect(fitScope(Project, standing("acme/shop/prod"))).toBe("acme");
  expect(fitScope(Organization, standing("acme/shop"))).toBe("");
  expect(fitScope(Workspace, standing("acme/shop"))).toBe("acme/shop");
  expect(fitScope(RoleBinding, standing("acme/shop"))).toBe("acme/shop");
});

test("a scope named in the command is taken at its word", () => {
  expect(() => fitScope(Project, named("acme/shop"))).toThrow(
    /projects live in an organization, not in acme\/shop/,
  );
  expect(() => fitScope(Organization, named("acme"))).toThrow(
    expect.objectContaining({ next: 'use --scope ""' }),
  );
});

test("a scope too far up says what to do", () => {
  expect(() => fitScope(ServiceAccount, standing(""))).toThrow(
    expect.objectContaining({ next: expect.stringContaining("--scope ORGANIZATION") }),
  );
});

test("a deep look may begin above the kind", () => {
  expect(fitScope(ServiceAccount, standing(""), true)).toBe("");
  expect(fitScope(Project, named("acme/shop"), true)).toBe("acme");
});

test("a name may carry its scope", () => {
  expect(placeOf(ServiceAccount, "acme/shop/ci", standing("other"))).toEqual({
    scope: "acme/shop",
    name: "ci",
  });
  expect(placeOf(ServiceAccount, "ci", standing("acme"))).toEqual({ scope: "acme", name: "ci" });
  expect(placeOf(Organization, "acme", standing("other/shop"))).toEqual({ scope: "", name: "acme" });
  expect(() => placeOf(Organization, "acme/shop", standing(""))).toThrow(/live in the installation/);
  expect(() => placeOf(Project, "acme/", standing(""))).toThrow(/names no Project/);
});

test("a target is split at its first slash", () => {
  expect(splitTarget("sa/acme/shop/ci")).toEqual({ word: "sa", path: "acme/shop/ci" });
  expect(splitTarget("projects")).toBeUndefined();
  expect(splitTarget("projects/")).toBeUndefined();
});
