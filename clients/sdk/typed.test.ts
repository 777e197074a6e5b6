import { Project, type ServiceAccount } from "@reeve/access/kinds";
import type { Json, Resource, ResourceOf } from "@reeve/model";
import { expect, expectTypeOf, test } from "vitest";
import { type Collection, connect, type WatchEvent } from "./index.ts";
import { badServer, sendJson, someResource } from "./testing-server.ts";

/** The compiler is the judge: `npm run check` fails where one of these lines is allowed, or one of these types is another. */
test("what is read, written and watched is typed by its kind, and another field or type does not compile", async () => {
  await using server = await badServer((_heard, answer) => sendJson(answer, 200, someResource("shop", 7)));
  const projects = connect({ url: server.url }).kind(Project);
  const project = await projects.get("acme", "shop");
  expectTypeOf(project).toEqualTypeOf<ResourceOf<typeof Project>>();
  expectTypeOf(project.spec.displayName).toEqualTypeOf<string | undefined>();
  expectTypeOf(projects.watch("acme")).toEqualTypeOf<AsyncGenerator<WatchEvent<typeof project>, void>>();
  // @ts-expect-error a Project has no replicas
  void project.spec.replicas;

  const metadata = { scope: "acme", name: "shop" };
  const { resource } = await projects.apply({ metadata, spec: { displayName: "The shop" } });
  expectTypeOf(resource).toEqualTypeOf(project);
  // @ts-expect-error a field that is misspelt
  await projects.apply({ metadata, spec: { displayNam: "The shop" } });
  // @ts-expect-error a value of another type
  await projects.create({ metadata, spec: { displayName: 7 } });
  // @ts-expect-error what a service account looks like
  expectTypeOf<Collection<ResourceOf<typeof ServiceAccount>>>().toEqualTypeOf(projects);
  expect(server.heard).toHaveLength(4);
});

test("a kind that only its server knows has resources too, whose fields are any JSON", () => {
  const things = connect({ url: "http://localhost:9" }).kind({ name: "Thing", plural: "things" });
  expectTypeOf(things).toEqualTypeOf<Collection<Resource>>();
  expectTypeOf<Resource["spec"]["size"]>().toEqualTypeOf<Json>();
  expect(things.kind.plural).toBe("things");
});
