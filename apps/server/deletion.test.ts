import type { Resource } from "@reeve/model";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, inScope, newToken, newUser } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";
const at = (name: string) => `${shop}/serviceaccounts/${name}`;

async function start(): Promise<TestServer> {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  return server;
}

async function make(server: TestServer, name: string, metadata: object = {}): Promise<Resource> {
  return (await done(server.call("PUT", at(name), { body: { metadata } }))).body;
}

function ownedBy(name: string): object {
  return { owner: { kind: "ServiceAccount", name } };
}

async function gone(server: TestServer, path: string): Promise<void> {
  await expect.poll(() => server.call("GET", path).then((answer) => answer.status)).toBe(404);
}

test("what nothing holds is gone with the answer, which tells its last state", async () => {
  const server = await start();
  const made = await make(server, "ci", { labels: { a: "b" } });
  const answer = await server.call("DELETE", at("ci"));
  expect([answer.status, answer.headers.get("reeve-outcome")]).toEqual([200, "deleted"]);
  expect(answer.body).toMatchObject({ metadata: { uid: made.metadata.uid, labels: { a: "b" } } });
  expect((await server.call("GET", at("ci"))).status).toBe(404);
  expect((await server.call("DELETE", at("ci"))).status).toBe(404);
});

test("all that belongs to it is told to go, however many wait", async () => {
  const server = await start();
  const waiting = Array.from({ length: 520 }, (_, index) => ({
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: { scope: "acme/shop", name: `a-${index}`, finalizers: ["test/outside"] },
    spec: {},
  }));
  for (const resources of [waiting.slice(0, 300), waiting.slice(300)])
    await done(server.call("POST", "/apply", { body: { resources } }));
  await make(server, "z");
  expect((await server.call("DELETE", shop)).status).toBe(202);
  await gone(server, at("z"));
  expect((await server.call("GET", at("a-0"))).body.metadata).toHaveProperty("deletingAt");
});

test("what belongs to a resource goes with it, however long the chain", async () => {
  const server = await start();
  await make(server, "a");
  for (const [child, owner] of [
    ["b", "a"],
    ["c", "b"],
    ["d", "c"],
    ["also-b", "a"],
  ] as const)
    await make(server, child, ownedBy(owner));
  await make(server, "stranger");
  const answer = await server.call("DELETE", at("a"));
  expect([answer.status, answer.headers.get("reeve-outcome")]).toEqual([202, "deleting"]);
  for (const name of ["d", "c", "b", "also-b", "a"]) await gone(server, at(name));
  expect((await server.call("GET", at("stranger"))).status).toBe(200);
});

test("`why` tells what belongs to a resource and would go with it, as far as one may read that", async () => {
  const server = await start();
  await make(server, "a");
  await make(server, "b", ownedBy("a"));
  await done(server.call("PUT", `${shop}/secrets/db`, { body: { metadata: ownedBy("a") } }));
  const why = (await server.call("GET", `${at("a")}/why`)).body;
  expect(why.owned).toEqual([
    { kind: "Secret", scope: "acme/shop", name: "db" },
    { kind: "ServiceAccount", scope: "acme/shop", name: "b" },
  ]);
  expect(why.goesWith).toEqual([
    { kind: "Secret", count: 1 },
    { kind: "ServiceAccount", count: 1 },
  ]);
  const project = (await server.call("GET", `${shop}/why`)).body;
  expect(project.owned).toEqual([]);
  expect(project.goesWith).toEqual(
    expect.arrayContaining([
      { kind: "Secret", count: 1 },
      { kind: "ServiceAccount", count: 2 },
    ]),
  );
  await done(
    server.call("PUT", "/organizations/acme/roles/accounts", {
      body: { spec: { allows: ["serviceaccounts:read"] } },
    }),
  );
  const bob = await newUser(server, "bob", [{ role: "accounts", scope: "acme" }]);
  const seen = (await done(bob.call("GET", `${at("a")}/why`))).body;
  expect(seen.owned).toEqual([{ kind: "ServiceAccount", scope: "acme/shop", name: "b" }]);
  expect(seen.goesWith).toEqual([{ kind: "ServiceAccount", count: 1 }]);
});

test("a user's bindings and tokens, and a program's, go with them", async () => {
  const server = await start();
  await make(server, "ci");
  await newToken(server, "acme/shop", "ci");
  await done(
    server.call("PUT", "/organizations/acme/rolebindings/ci", {
      body: { spec: { role: "viewer", subject: { kind: "ServiceAccount", name: "ci", scope: "acme/shop" } } },
    }),
  );
  await done(server.call("DELETE", at("ci")));
  for (const path of [`${shop}/tokens/ci`, "/organizations/acme/rolebindings/ci", at("ci")])
    await gone(server, path);
});

test("a finalizer holds a deletion, and an owner's with it, until it is removed; `why` names it", async () => {
  const server = await start();
  await make(server, "owner");
  await make(server, "held", { ...ownedBy("owner"), finalizers: ["cloud.example/disk"] });
  expect((await server.call("DELETE", at("owner"))).status).toBe(202);
  await expect
    .poll(() => server.call("GET", `${at("owner")}/why`).then((answer) => answer.body.look?.why ?? ""))
    .toContain("1 ServiceAccount");
  const why = (await server.call("GET", `${at("owner")}/why`)).body;
  expect(why.holds).toEqual([{ kind: "ServiceAccount", count: 1, why: expect.any(String) }]);
  expect(why.look.outcome).toBe("waiting");
  expect((await server.call("GET", `${at("held")}/why`)).body.holds).toEqual([
    { finalizer: "cloud.example/disk", count: 1, why: expect.any(String) },
  ]);
  expect((await server.call("GET", at("held"))).body.metadata.deletingAt).toBeTruthy();
  await done(server.call("PATCH", at("held"), { body: { metadata: { finalizers: null } } }));
  await gone(server, at("held"));
  await gone(server, at("owner"));
});

test("one of two finalizers is not enough", async () => {
  const server = await start();
  await make(server, "held", { finalizers: ["a/one", "a/two"] });
  expect((await server.call("DELETE", at("held"))).status).toBe(202);
  await done(server.call("PATCH", at("held"), { body: { metadata: { finalizers: ["a/two"] } } }));
  await expect
    .poll(() => server.call("GET", `${at("held")}/why`).then((answer) => answer.body.look?.why ?? ""))
    .toContain("a/two");
  expect((await server.call("GET", at("held"))).body.metadata.finalizers).toEqual(["a/two"]);
  expect((await server.call("DELETE", at("held"))).status).toBe(202);
});

test("a forced deletion ends without waiting and lists what it left behind, in the answer and in the audit", async () => {
  const server = await start();
  await make(server, "held", { finalizers: ["cloud.example/disk", "dns.example/name"] });
  expect((await server.call("DELETE", at("held"))).status).toBe(202);
  const answer = await server.call("DELETE", `${at("held")}?force=true&reason=cloud%20is%20gone`, {
    headers: { "x-request-id": "forced-end" },
  });
  expect([answer.status, answer.headers.get("reeve-left-behind")]).toEqual([
    200,
    "cloud.example/disk, dns.example/name",
  ]);
  expect((await server.call("GET", at("held"))).status).toBe(404);
  const rows = await server.database.query<{ detail: object; reason: string }>(
    "select detail, reason from audit where request_id = 'forced-end'",
  );
  expect(rows).toEqual([
    {
      reason: "cloud is gone",
      detail: {
        force: true,
        leftBehind: ["cloud.example/disk", "dns.example/name"],
        changes: [{ pointer: "", before: expect.objectContaining({ spec: { disabled: false } }) }],
      },
    },
  ]);
});

test("a forced deletion takes what belongs to it by force as well", async () => {
  const server = await start();
  await make(server, "owner");
  await make(server, "held", { ...ownedBy("owner"), finalizers: ["a/b"] });
  expect((await server.call("DELETE", at("owner"))).status).toBe(202);
  expect((await server.call("DELETE", `${at("owner")}?force=true`)).status).toBe(202);
  await gone(server, at("held"));
  await gone(server, at("owner"));
});

test("a project takes everything in it along, to the last workspace, and nothing beside it", async () => {
  const server = await start();
  for (const scope of ["acme/shop/prod", "acme/shop/test", "acme/shopping"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  const inside = ["acme/shop", "acme/shop/prod", "acme/shop/test"];
  for (const scope of [...inside, "acme/shopping", "acme"]) {
    for (let index = 0; index < 5; index++)
      await done(server.call("PUT", `${inScope(scope)}/serviceaccounts/ci${index}`, { body: {} }));
    await newToken(server, scope, "ci0");
    await done(
      server.call("PUT", `${inScope(scope)}/rolebindings/rb`, {
        body: { spec: { role: "viewer", subject: { kind: "ServiceAccount", name: "ci1" } } },
      }),
    );
  }
  const answer = await server.call("DELETE", shop);
  expect([answer.status, answer.body.metadata.finalizers]).toEqual([202, ["reeve/contents"]]);
  await gone(server, shop);
  const left = await server.database.query<{ scope: string; count: number }>(
    "select scope, count(*) as count from resource where scope like 'acme%' group by scope order by scope",
  );
  expect(left).toEqual([
    { scope: "acme", count: 8 },
    { scope: "acme/shopping", count: 7 },
  ]);
});

test("nothing new is made in a project that is going, but what holds it there can be let go", async () => {
  const server = await start();
  await make(server, "held", { finalizers: ["a/b"] });
  await done(server.call("DELETE", shop));
  const refused = await server.call("PUT", at("new"), { body: {} });
  expect([refused.status, refused.body.kind]).toEqual([412, "precondition"]);
  await expect
    .poll(() => server.call("GET", `${shop}/why`).then((answer) => answer.body.holds))
    .toEqual([{ kind: "ServiceAccount", count: 1, why: expect.any(String) }]);
  await done(server.call("PATCH", at("held"), { body: { metadata: { finalizers: [] } } }));
  await gone(server, shop);
  await done(server.call("PUT", shop, { body: {} }));
  expect((await server.call("GET", `${shop}/serviceaccounts`)).body.items).toEqual([]);
});

test("the finalizer that keeps a project's contents cannot be taken from it, by a patch or by force", async () => {
  const server = await start();
  await make(server, "held", { finalizers: ["a/b"] });
  await done(server.call("PATCH", shop, { body: { metadata: { finalizers: [] } } }));
  await done(server.call("PUT", shop, { body: { metadata: { finalizers: ["x/y"] } } }));
  expect((await server.call("GET", shop)).body.metadata.finalizers.sort()).toEqual(["reeve/contents", "x/y"]);
  const forced = await server.call("DELETE", `${shop}?force=true`);
  expect([forced.status, forced.headers.get("reeve-left-behind")]).toEqual([202, "x/y"]);
  await gone(server, shop);
  const left = await server.database.query("select 1 from resource where scope like 'acme/shop%'");
  expect(left).toEqual([]);
});

test("something that is being deleted can be deleted again without harm, and is not brought back by an apply", async () => {
  const server = await start();
  await make(server, "held", { finalizers: ["a/b"] });
  const first = await server.call("DELETE", at("held"));
  const second = await server.call("DELETE", at("held"));
  expect(second.body.metadata.deletingAt).toBe(first.body.metadata.deletingAt);
  const applied = await done(
    server.call("PUT", at("held"), { body: { spec: { description: "still here?" } } }),
  );
  expect(applied.body.metadata.deletingAt).toBe(first.body.metadata.deletingAt);
  await done(server.call("PATCH", at("held"), { body: { metadata: { finalizers: [] } } }));
  await gone(server, at("held"));
});

test("a paused resource is left alone, says so, and goes on when it is resumed; deletion does not wait for that", async () => {
  const server = await start();
  await make(server, "ci");
  const token = `${shop}/tokens/ci`;
  const expiresAt = new Date(Date.now() + 700).toISOString();
  await done(
    server.call("PUT", token, {
      body: {
        spec: { subject: { kind: "ServiceAccount", name: "ci" }, expiresAt },
        metadata: { paused: true },
      },
    }),
  );
  await expect
    .poll(() => server.call("GET", `${token}/why`).then((answer) => answer.body.look?.outcome))
    .toBe("paused");
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect((await server.call("GET", token)).status).toBe(200);
  await done(server.call("PATCH", token, { body: { metadata: { paused: false } } }));
  await gone(server, token);
  await make(server, "held", { paused: true, finalizers: ["a/b"] });
  await done(server.call("DELETE", at("held")));
  await done(server.call("PATCH", at("held"), { body: { metadata: { finalizers: [] } } }));
  await gone(server, at("held"));
});

test("events tell what happened, newest first, and count what is repeated", async () => {
  const server = await start();
  await make(server, "ci");
  await newToken(server, "acme/shop", "ci");
  for (let again = 0; again < 3; again++) await done(server.call("POST", `${shop}/tokens/ci/actions/issue`));
  const { items } = (await server.call("GET", `${shop}/tokens/ci/events`)).body;
  expect(items).toEqual([expect.objectContaining({ reason: "Issued", tone: "normal", count: 4 })]);
  expect(Date.parse(items[0].firstAt)).toBeLessThanOrEqual(Date.parse(items[0].at));
  await make(server, "held", { finalizers: ["a/b"] });
  await done(server.call("DELETE", at("held")));
  expect((await server.call("GET", `${at("held")}/events`)).body.items[0]).toMatchObject({
    reason: "Deleting",
  });
  expect((await server.call("GET", `${at("ci")}/events`)).body.items).toEqual([]);
});

test("`why` of what is not being deleted holds nothing, and of what nobody looks at says so", async () => {
  const server = await start();
  await make(server, "ci", { finalizers: ["a/b"] });
  expect((await server.call("GET", `${at("ci")}/why`)).body).toEqual({
    look: null,
    holds: [],
    usedBy: [],
    owned: [],
    goesWith: [],
  });
  await newToken(server, "acme/shop", "ci");
  await expect
    .poll(() => server.call("GET", `${shop}/tokens/ci/why`).then((answer) => answer.body.look))
    .toMatchObject({ outcome: "done", why: "the token does not expire", failures: 0 });
});

test("a token with a finalizer lets its user go once the finalizer is removed, though both are being deleted", async () => {
  const server = await start();
  await done(server.call("PUT", "/users/bob", { body: {} }));
  const subject = { kind: "User", name: "bob" };
  await done(
    server.call("PUT", "/tokens/bobs", { body: { spec: { subject }, metadata: { finalizers: ["a/b"] } } }),
  );
  expect((await server.call("DELETE", "/users/bob")).status).toBe(202);
  await expect
    .poll(() => server.call("GET", "/tokens/bobs").then((answer) => answer.body.metadata.deletingAt))
    .toBeTruthy();
  const changed = await server.call("PATCH", "/tokens/bobs", { body: { spec: { description: "changed" } } });
  expect([changed.status, changed.body.kind]).toEqual([412, "precondition"]);
  await done(server.call("PATCH", "/tokens/bobs", { body: { metadata: { finalizers: [] } } }));
  await gone(server, "/tokens/bobs");
  await gone(server, "/users/bob");
});
