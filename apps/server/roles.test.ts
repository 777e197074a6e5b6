import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, inScope, newUser, type Person, setPassword } from "./testing-people.ts";

async function start(): Promise<TestServer> {
  const server = await testServer();
  for (const scope of ["globex", "acme/shop", "acme/shop/prod"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  return server;
}

function makes(person: Pick<Person, "call">, scope: string, name: string, allows: string[]) {
  return person.call("PUT", `${inScope(scope)}/roles/${name}`, { body: { spec: { allows } } });
}

function binds(person: Pick<Person, "call">, scope: string, role: string, user: string, name = role) {
  const spec = { role, subject: { kind: "User", name: user } };
  return person.call("PUT", `${inScope(scope)}/rolebindings/${name}`, { body: { spec } });
}

const prod = "/organizations/acme/projects/shop/workspaces/prod";
const statusOf = async (call: Promise<{ status: number }>) => (await call).status;

test("a custom role gives exactly what it lists, in its bindings' scopes and below", async () => {
  const server = await start();
  await done(makes(server, "acme", "deployer", ["workspaces:read", "workspaces:update"]));
  const dora = await newUser(server, "dora", [{ role: "deployer", scope: "acme/shop" }]);
  expect(await statusOf(dora.call("GET", prod))).toBe(200);
  expect(await statusOf(dora.call("PATCH", prod, { body: { spec: { description: "x" } } }))).toBe(200);
  expect(await statusOf(dora.call("DELETE", prod))).toBe(403);
  expect(await statusOf(dora.call("GET", "/organizations/acme/projects/shop/serviceaccounts"))).toBe(403);
  expect(await statusOf(dora.call("PUT", "/organizations/acme/projects/new", { body: {} }))).toBe(403);
  expect(await statusOf(dora.call("GET", "/organizations/globex"))).toBe(404);
});

test("a change of a role takes effect with the next request of everybody who holds it", async () => {
  const server = await start();
  await done(makes(server, "acme", "deployer", ["workspaces:read"]));
  const dora = await newUser(server, "dora", [{ role: "deployer", scope: "acme" }]);
  const description = () => dora.call("PATCH", prod, { body: { spec: { description: `${++n}` } } });
  let n = 0;
  expect(await statusOf(description())).toBe(403);
  await done(makes(server, "acme", "deployer", ["workspaces:*"]));
  expect(await statusOf(description())).toBe(200);
  await done(makes(server, "acme", "deployer", ["projects:read"]));
  expect(await statusOf(description())).toBe(404);
});

test("a role that reads no projects shows none, but for the way to where it is held", async () => {
  const server = await start();
  await done(server.call("PUT", "/organizations/acme/projects/blog", { body: {} }));
  await done(makes(server, "acme", "deployer", ["tokens:read"]));
  const dora = await newUser(server, "dora", [{ role: "deployer", scope: "acme" }]);
  const pat = await newUser(server, "pat", [{ role: "deployer", scope: "acme/shop" }]);
  const seen = async (person: Person, path: string) =>
    (await done(person.call("GET", path))).body.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
  expect(await seen(dora, "/organizations")).toEqual(["acme"]);
  expect(await seen(dora, "/organizations/acme/projects")).toEqual([]);
  expect(await statusOf(dora.call("GET", "/organizations/acme/projects/shop"))).toBe(404);
  expect(await seen(pat, "/organizations/acme/projects")).toEqual(["shop"]);
  expect(await seen(pat, "/organizations/acme/projects/shop/workspaces")).toEqual([]);
  expect(await statusOf(pat.call("GET", "/organizations/acme/projects/shop"))).toBe(200);
});

test("patterns stand for the permissions of kinds when the role is written, and never for those beside the kinds", async () => {
  const server = await start();
  const { status } = (await done(makes(server, "acme", "reader", ["*:read", "tokens:*"]))).body;
  expect(status.allows).toEqual(
    expect.arrayContaining(["projects:read", "users:read", "tokens:issue", "runs:read"]),
  );
  expect(status.allows).not.toContain("audit:read");
  expect(status.allows).not.toContain("projects:update");
  expect(status.allows).not.toContain("runs:cancel");
  // As if the server had been upgraded since: what was written stays, until somebody writes it again.
  await server.database.query(
    `update resource set status = jsonb_set(status, '{allows}', '["projects:read"]') where kind = 'Role'`,
  );
  const dora = await newUser(server, "dora", [{ role: "reader", scope: "acme" }]);
  expect(await statusOf(dora.call("GET", "/organizations/acme/serviceaccounts"))).toBe(403);
  const again = await makes(server, "acme", "reader", ["*:read", "tokens:*"]);
  expect(again.headers.get("reeve-outcome")).toBe("updated");
  expect(await statusOf(dora.call("GET", "/organizations/acme/serviceaccounts"))).toBe(200);
});

test("a permission that no kind has, and the name of a built-in role, are refused by field", async () => {
  const server = await start();
  for (const words of ["castles:read", "projects:fly", "*:fly", "castles:*"]) {
    const answer = await makes(server, "acme", "odd", ["projects:read", words]);
    expect([answer.status, answer.body.errors[0].pointer], words).toEqual([422, "/spec/allows/1"]);
  }
  for (const words of ["projects", "projects:Read", "a:b:c", ":", ""])
    expect(await statusOf(makes(server, "acme", "odd", [words])), words).toBe(422);
  for (const name of ["owner", "editor", "viewer", "auditor"])
    expect((await makes(server, "acme", name, ["projects:read"])).body.errors[0].pointer).toBe(
      "/metadata/name",
    );
  const unknown = await binds(server, "acme", "deployer", "ada");
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, "/spec/role"]);
  for (const name of ["constructor", "tostring"])
    expect(await statusOf(binds(server, "acme", name, "ada")), name).toBe(422);
});

test("nobody makes, widens or binds a role with more than they hold there", async () => {
  const server = await start();
  await done(makes(server, "acme", "steward", ["*:read", "roles:*", "rolebindings:*"]));
  await done(makes(server, "acme", "power", ["projects:delete"]));
  const sue = await newUser(server, "sue", [{ role: "steward", scope: "acme" }]);
  const wide = await makes(sue, "acme", "mine", ["projects:read", "projects:delete"]);
  expect([wide.status, wide.body.detail]).toEqual([403, expect.stringContaining("projects:delete")]);
  expect(await statusOf(makes(sue, "acme", "mine", ["*:*"]))).toBe(403);
  expect(await statusOf(makes(sue, "acme", "mine", ["projects:read"]))).toBe(201);
  expect(await statusOf(makes(sue, "acme", "mine", ["projects:update"]))).toBe(403);
  expect(await statusOf(makes(sue, "acme", "steward", ["*:*"]))).toBe(403);
  expect(await statusOf(binds(sue, "acme", "power", "sue"))).toBe(403);
  expect(await statusOf(binds(sue, "acme", "owner", "sue"))).toBe(403);
  expect(await statusOf(binds(sue, "acme", "mine", "sue"))).toBe(201);
  expect(await statusOf(makes(sue, "", "mine", ["projects:read"]))).toBe(403);
  expect(await statusOf(makes(sue, "globex", "mine", ["projects:read"]))).toBe(404);
});

test("whoever may set passwords cannot take over somebody who may do more", async () => {
  const server = await start();
  await done(makes(server, "", "helpdesk", ["users:read", "users:set-password"]));
  const helga = await newUser(server, "helga", [{ role: "helpdesk", scope: "" }]);
  await newUser(server, "bob");
  const set = (user: string) =>
    helga.call("POST", `/users/${user}/actions/set-password`, { body: { password: "helga knows this one" } });
  expect(await statusOf(set("bob"))).toBe(200);
  const taken = await set("ada");
  expect([taken.status, taken.body.detail]).toEqual([403, expect.stringContaining("you cannot act as it")]);
  await setPassword(server, "helga");
});

test("a role of the installation can be bound everywhere, one of an organization only in it; the nearer one is meant", async () => {
  const server = await start();
  await done(makes(server, "", "shared", ["projects:read"]));
  await done(makes(server, "globex", "own", ["projects:read"]));
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  const bound = await binds(olga, "acme/shop", "shared", "olga");
  expect([bound.status, bound.body.status.role.scope]).toEqual([201, ""]);
  expect(await statusOf(binds(olga, "acme", "own", "olga"))).toBe(422);
  // A nearer role that comes later changes nothing about a binding that is there.
  await done(makes(server, "acme", "shared", ["workspaces:read"]));
  const relabelled = await olga.call("PATCH", "/organizations/acme/projects/shop/rolebindings/shared", {
    body: { metadata: { labels: { a: "b" } } },
  });
  expect(relabelled.body.status.role.scope).toBe("");
  expect((await binds(olga, "acme/shop", "shared", "olga", "second")).body.status.role.scope).toBe("acme");
});

test("a role in use is not deleted, and the answer lists by whom", async () => {
  const server = await start();
  await done(makes(server, "acme", "deployer", ["workspaces:read"]));
  await newUser(server, "dora");
  await done(binds(server, "acme/shop", "deployer", "dora"));
  const path = "/organizations/acme/roles/deployer";
  for (const query of ["", "?dryRun=true"]) {
    const refused = await server.call("DELETE", `${path}${query}`);
    expect([refused.status, refused.body.detail]).toEqual([
      412,
      "Role acme/deployer is in use by RoleBinding acme/shop/deployer (/spec/role)",
    ]);
  }
  await done(server.call("DELETE", "/organizations/acme/projects/shop/rolebindings/deployer"));
  expect(await statusOf(server.call("DELETE", path))).toBe(200);
});

test("an organization goes with its roles, groups and bindings", async () => {
  const server = await start();
  await done(makes(server, "acme", "deployer", ["workspaces:read"]));
  const dora = await newUser(server, "dora", [{ role: "deployer", scope: "acme" }]);
  await done(
    server.call("PUT", "/organizations/acme/groups/devs", {
      body: { spec: { members: [{ kind: "User", name: "dora" }] } },
    }),
  );
  await done(server.call("DELETE", "/organizations/acme"));
  await expect.poll(() => statusOf(server.call("GET", "/organizations/acme"))).toBe(404);
  expect((await dora.call("GET", "/whoami")).body.grants).toEqual([]);
});
