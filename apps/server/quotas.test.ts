import { readResource } from "@reeve/store";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

const limit = (server: TestServer, scope: string, limits: Record<string, number>) =>
  done(server.call("PUT", `${scope}/quotas/plan`, { body: { spec: { limits } } }));

const shop = "/organizations/acme/projects/shop";

test("a quota holds for its scope and everything below, and says which, how much, and what to do", async () => {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  await limit(server, "/organizations/acme", { serviceaccounts: 2 });
  await done(server.call("PUT", `${shop}/serviceaccounts/one`, { body: {} }));
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/two", { body: {} }));
  const refused = await server.call("PUT", `${shop}/serviceaccounts/three`, { body: {} });
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({
    kind: "forbidden",
    detail: "the quota plan of acme does not allow this: 2 of 2 serviceaccounts are used",
    next: expect.stringContaining("higher limit"),
  });
  // Another organization is not concerned.
  await done(server.call("PUT", "/organizations/other", { body: {} }));
  await done(server.call("PUT", "/organizations/other/serviceaccounts/one", { body: {} }));
});

test("a dry run hears of the quota too, and a change of what is there does not", async () => {
  const server = await testServer();
  await limit(server, "/organizations/acme", { projects: 1 });
  await done(server.call("PUT", shop, { body: {} }));
  const rehearsed = await server.call("PUT", "/organizations/acme/projects/blog?dryRun=true", { body: {} });
  expect(rehearsed).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("1 of 1 projects") },
  });
  await done(server.call("PUT", `${shop}?dryRun=true`, { body: { spec: { displayName: "Shop" } } }));
  await done(server.call("PUT", shop, { body: { spec: { displayName: "Shop" } } }));
});

test("an owner of a scope cannot change its quota, one of the scope above can", async () => {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  const tenant = await newUser(server, "tenant", [{ role: "owner", scope: "acme" }]);
  await limit(server, "/organizations/acme", { projects: 1 });
  const body = { spec: { limits: { projects: 9 } } };
  for (const [method, path] of [
    ["PUT", "/organizations/acme/quotas/plan"],
    ["PUT", "/organizations/acme/quotas/another"],
    ["DELETE", "/organizations/acme/quotas/plan"],
  ] as const)
    expect(await tenant.call(method, path, method === "PUT" ? { body } : {})).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("in the installation") },
    });
  expect((await tenant.call("GET", "/organizations/acme/quotas/plan")).status).toBe(200);
  // Its own projects, it may limit.
  expect((await tenant.call("PUT", `${shop}/quotas/plan`, { body })).status).toBe(201);
  const asked = (scope: string) =>
    tenant.call("POST", "/can-i", { body: { verb: "create", kind: "Quota", scope } });
  expect((await asked("acme")).body.allowed).toBe(false);
  expect((await asked("acme/shop")).body.allowed).toBe(true);
});

test("who may not read the quota of a scope above does not hear its figures", async () => {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  const guest = await newUser(server, "guest", [{ role: "editor", scope: "acme/shop" }]);
  await limit(server, "/organizations/acme", { serviceaccounts: 0 });
  const refused = await guest.call("PUT", `${shop}/serviceaccounts/one`, { body: {} });
  expect(refused).toMatchObject({
    status: 403,
    body: { detail: "the quota of acme does not allow this for serviceaccounts" },
  });
});

test("a limit on something that is not counted is refused by its name", async () => {
  const server = await testServer();
  const answer = await server.call("PUT", "/quotas/all", { body: { spec: { limits: { Project: 3 } } } });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toEqual([
    { pointer: "/spec/limits/Project", message: "nothing is counted by this name" },
  ]);
  expect(answer.body.next).toContain("projects");
});

test("the status tells what is used, and a wrong count is found and corrected", async () => {
  const server = await testServer();
  await limit(server, "/organizations/acme", { projects: 5, resources: 9 });
  await done(server.call("PUT", shop, { body: {} }));
  const at = { kind: "Quota", scope: "acme", name: "plan" };
  const used = async () => (await readResource(server.database, at))?.status.used;
  await expect.poll(used).toEqual({ projects: 1, resources: 1 });
  // Somebody wrote into the database by hand, and it is time to count again.
  await server.database.query(
    "update quota_use set used = used || '{\"projects\": 4}', counted_at = now() - interval '2 hours'",
  );
  await server.database.query("update look set due_at = now() where kind = 'Quota'");
  await expect.poll(() => server.database.query("select 1 from quota_use")).toEqual([]);
  await done(server.call("PUT", "/organizations/acme/projects/blog", { body: {} }));
  await expect.poll(used).toEqual({ projects: 2, resources: 2 });
});

test("tokens are limited by their number: one that is issued anew is no other, and one that was deleted makes room", async () => {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  for (const scope of ["/organizations/acme", shop])
    await done(server.call("PUT", `${scope}/serviceaccounts/ci`, { body: {} }));
  await limit(server, "/organizations/acme", { tokens: 2 });
  const spec = { subject: { kind: "ServiceAccount", name: "ci" } };
  const make = (scope: string, name: string) =>
    server.call("PUT", `${scope}/tokens/${name}`, { body: { spec } });
  await done(make("/organizations/acme", "one"));
  await done(make(shop, "two"));
  for (const scope of ["/organizations/acme", shop])
    expect(await make(scope, "three")).toMatchObject({
      status: 403,
      body: { detail: "the quota plan of acme does not allow this: 2 of 2 tokens are used" },
    });
  for (let turn = 0; turn < 2; turn++)
    await done(server.call("POST", `${shop}/tokens/two/actions/issue`, { body: {} }));
  await done(server.call("DELETE", `${shop}/tokens/two`));
  await done(make("/organizations/acme", "three"));
  expect((await make(shop, "two")).status).toBe(403);
});

test("the versions of a secret count as storage, and go with it", async () => {
  const server = await testServer();
  await limit(server, "/organizations/acme", { storageBytes: 10_000 });
  const secret = "/organizations/acme/secrets/db";
  await done(server.call("PUT", secret, { body: {} }));
  const set = (bytes: number) =>
    server.call("POST", `${secret}/actions/set`, { body: { values: { password: "x".repeat(bytes) } } });
  await done(set(3000));
  await done(server.call("PUT", secret, { body: { spec: { description: "Of the database" } } }));
  await done(set(3000));
  expect(await set(3000)).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("of 10000 storageBytes are used") },
  });
  expect(await server.database.query("select version from secret_version order by version")).toEqual([
    { version: 1 },
    { version: 2 },
  ]);
  await done(server.call("DELETE", secret));
  const [use] = await server.database.query<{ used: object }>("select used from quota_use");
  expect(use?.used).toMatchObject({ storageBytes: 0, secrets: 0 });
});
