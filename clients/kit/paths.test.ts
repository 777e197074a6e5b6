import { expect, test } from "vitest";
import { pagePatterns, paths, readPath, scopedPath } from "./paths.ts";

const workflows = { name: "Workflow", plural: "workflows" };

test("every page has one address", () => {
  expect({
    overview: paths.overview(),
    everything: paths.list(workflows, ""),
    list: paths.list(workflows, "acme/shop", { labels: "team=web", fields: undefined }),
    resource: paths.resource(workflows, "acme/shop/prod", "etl", { tab: "history" }),
    create: paths.create(workflows, "acme", { as: "yaml" }),
    edit: paths.edit(workflows, "", "etl"),
    runs: paths.runs({ state: "failed,timed-out", scope: "acme" }),
    run: paths.run("0197", { step: 3 }),
    audit: paths.audit(),
    settings: paths.settings(),
    about: paths.about(),
    security: paths.security(),
    signIn: paths.signIn("/runs?state=failed"),
  }).toMatchInlineSnapshot(`
    {
      "about": "/about",
      "audit": "/audit",
      "create": "/new/organizations/acme/workflows?as=yaml",
      "edit": "/edit/workflows/etl",
      "everything": "/workflows",
      "list": "/organizations/acme/projects/shop/workflows?labels=team%3Dweb",
      "overview": "/",
      "resource": "/organizations/acme/projects/shop/workspaces/prod/workflows/etl?tab=history",
      "run": "/runs/0197?step=3",
      "runs": "/runs?state=failed,timed-out&scope=acme",
      "security": "/security",
      "settings": "/settings",
      "signIn": "/sign-in?to=/runs%3Fstate%3Dfailed",
    }
  `);
});

test("a navigation item leads to its page at the scope that is chosen", () => {
  expect(scopedPath("{scope}/workflows", "acme/shop")).toBe("/organizations/acme/projects/shop/workflows");
  expect(scopedPath("{scope}/workflows", "")).toBe("/workflows");
  expect(scopedPath("/runs", "acme")).toBe("/runs?scope=acme");
  expect(scopedPath("/runs", "")).toBe("/runs");
});

test("a page of a kind stands at every level", () => {
  expect(pagePatterns("{scope}/workflows/$name")).toMatchInlineSnapshot(`
    [
      "/workflows/$name",
      "/organizations/$organization/workflows/$name",
      "/organizations/$organization/projects/$project/workflows/$name",
      "/organizations/$organization/projects/$project/workspaces/$workspace/workflows/$name",
    ]
  `);
  expect(pagePatterns("/runs/$id")).toEqual(["/runs/$id"]);
});

test("an address says its scope", () => {
  expect(readPath("/organizations/acme/projects/shop/workflows/etl")).toEqual({
    scope: "acme/shop",
    rest: ["workflows", "etl"],
  });
  expect(readPath("/organizations/acme")).toEqual({ scope: "", rest: ["organizations", "acme"] });
  expect(readPath("/organizations/acme/projects")).toEqual({ scope: "acme", rest: ["projects"] });
  expect(readPath("/edit/organizations/acme/workflows/etl")).toEqual({
    scope: "acme",
    rest: ["workflows", "etl"],
    task: "edit",
  });
  expect(readPath("/")).toEqual({ scope: "", rest: [] });
});
