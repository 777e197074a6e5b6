import { linkIdentity, replaceClaims } from "@reeve/access/store";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  bind,
  done,
  inScope,
  newProgram,
  newUser,
  type Person,
  personWith,
  setPassword,
  signIn,
} from "./testing-people.ts";

async function start(): Promise<TestServer> {
  const server = await testServer();
  for (const scope of ["globex", "acme/shop"]) await done(server.call("PUT", inScope(scope), { body: {} }));
  return server;
}

const user = (name: string) => ({ kind: "User", name });
const sees = async (person: Person, path = "/organizations/acme/projects/shop") =>
  (await person.call("GET", path)).status;

async function group(server: TestServer, spec: object, scope = "acme", name = "devs") {
  return done(server.call("PUT", `${inScope(scope)}/groups/${name}`, { body: { spec } }));
}

test("a role bound to a group is held by its members, from the moment they are in it until the moment they are not", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  const ci = await newProgram(server, "acme/shop", "ci");
  expect([await sees(bob), await sees(ci)]).toEqual([404, 404]);
  await group(server, { members: [] });
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "Group", name: "devs" });
  expect([await sees(bob), await sees(ci)]).toEqual([404, 404]);
  await group(server, { members: [user("bob"), { kind: "ServiceAccount", name: "ci", scope: "acme/shop" }] });
  expect([await sees(bob), await sees(ci)]).toEqual([200, 200]);
  const { grants } = (await bob.call("GET", "/whoami")).body;
  expect(grants).toEqual([
    { scope: "acme", role: "viewer", binding: expect.any(String), group: "acme/devs" },
  ]);
  await group(server, { members: [user("bob")] });
  expect([await sees(bob), await sees(ci)]).toEqual([200, 404]);
  await done(server.call("DELETE", "/organizations/acme/groups/devs"));
  expect(await sees(bob)).toBe(404);
  await expect
    .poll(async () => (await server.call("GET", "/organizations/acme/rolebindings")).body.items)
    .toEqual([]);
});

test("what an identity provider says of a user makes it a member, and the next thing it says takes that away", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  const { uid } = (await server.call("GET", "/users/bob")).body.metadata;
  const provider = { spec: { issuer: "https://id.example", clientId: "reeve" } };
  for (const name of ["corporate", "other"]) {
    const { body: made } = await done(server.call("PUT", `/identityproviders/${name}`, { body: provider }));
    await linkIdentity(server.database, { providerUid: made.metadata.uid, subject: "bob" }, uid);
  }
  await replaceClaims(server.database, uid, "corporate", ["developers", "staff"]);
  await group(server, { claims: [{ provider: "corporate", value: "developers" }] }, "");
  await bind(server, { role: "viewer", scope: "acme/shop" }, { kind: "Group", scope: "", name: "devs" });
  expect(await sees(bob)).toBe(200);
  const { body } = await bob.call("GET", "/whoami");
  expect(body.grants).toMatchObject([{ scope: "acme/shop", group: "devs" }]);
  await replaceClaims(server.database, uid, "other", ["developers"]);
  await replaceClaims(server.database, uid, "corporate", ["staff"]);
  // What was remembered goes with any change of the user; a sign-in opens a session that nothing is remembered of.
  await done(server.call("PATCH", "/users/bob", { body: { metadata: { labels: { a: "b" } } } }));
  expect(await sees(bob)).toBe(404);
});

test("a user who is deleted and made anew is in no group until somebody writes the group again", async () => {
  const server = await start();
  await newUser(server, "bob");
  const spec = { members: [user("bob")] };
  await group(server, spec);
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "Group", name: "devs" });
  await done(server.call("DELETE", "/users/bob"));
  await expect.poll(() => server.call("GET", "/users/bob").then(({ status }) => status)).toBe(404);
  const bob = await newUser(server, "bob");
  expect(await sees(bob)).toBe(404);
  const again = await group(server, spec);
  expect([again.headers.get("reeve-outcome"), again.body.metadata.generation]).toEqual(["updated", 1]);
  expect(await sees(bob)).toBe(200);
  expect((await group(server, spec)).headers.get("reeve-outcome")).toBe("unchanged");
});

test("a member that was deleted does not keep the group from being changed", async () => {
  const server = await start();
  await newUser(server, "bob");
  await group(server, { members: [user("ada"), user("bob")] });
  await done(server.call("DELETE", "/users/bob"));
  await expect.poll(() => server.call("GET", "/users/bob").then(({ status }) => status)).toBe(404);
  const changed = await server.call("PATCH", "/organizations/acme/groups/devs", {
    body: { spec: { description: "still" } },
  });
  expect([changed.status, changed.body.status.members.length]).toEqual([200, 1]);
  const unknown = await server.call("PUT", "/organizations/acme/groups/devs", {
    body: { spec: { members: [user("ada"), user("nobody")] } },
  });
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, "/spec/members/1"]);
});

test("a group holds no roles above or beside its own scope", async () => {
  const server = await start();
  await group(server, { members: [] });
  const binds = (scope: string) =>
    server.call("PUT", `${inScope(scope)}/rolebindings/up`, {
      body: { spec: { role: "viewer", subject: { kind: "Group", scope: "acme", name: "devs" } } },
    });
  for (const scope of ["", "globex"]) {
    const answer = await binds(scope);
    expect([answer.status, answer.body.errors[0].pointer], scope).toEqual([422, "/spec/subject/scope"]);
  }
  expect((await binds("acme/shop")).status).toBe(201);
});

test("only a full owner of the scope decides who is in a group, whatever list of permissions somebody holds", async () => {
  const server = await start();
  await done(
    server.call("PUT", "/organizations/acme/roles/helper", {
      body: { spec: { allows: ["*:read", "groups:*", "rolebindings:*", "roles:*"] } },
    }),
  );
  const helper = await newUser(server, "helper", [{ role: "helper", scope: "acme" }]);
  await group(server, { members: [] });
  await bind(server, { role: "owner", scope: "acme" }, { kind: "Group", name: "devs" });
  const path = "/organizations/acme/groups/devs";
  const filled = await helper.call("PATCH", path, { body: { spec: { members: [user("helper")] } } });
  expect([filled.status, filled.body.detail]).toEqual([
    403,
    expect.stringContaining("only an owner of acme"),
  ]);
  const claimed = await helper.call("PATCH", path, {
    body: { spec: { claims: [{ provider: "corporate", value: "staff" }] } },
  });
  expect(claimed.status).toBe(403);
  expect((await helper.call("PATCH", path, { body: { spec: { description: "Words" } } })).status).toBe(200);
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  expect((await olga.call("PATCH", path, { body: { spec: { members: [user("helper")] } } })).status).toBe(
    200,
  );
});

test("a group of another organization and a program of another are answered like missing ones", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  await done(server.call("PUT", "/organizations/globex/serviceaccounts/ci", { body: {} }));
  const face = async (scope: string) => {
    const member = { kind: "ServiceAccount", name: "ci", scope };
    const answer = await olga.call("PUT", "/organizations/acme/groups/g", {
      body: { spec: { members: [member] } },
    });
    const { requestId: _, ...body } = answer.body;
    return JSON.stringify([answer.status, body]).replaceAll(scope, "SCOPE");
  };
  expect(await face("globex")).toBe(await face("nowhere"));
});

test("nobody who owns the installation through a group takes that from themselves", async () => {
  const server = await start();
  const otto = await newUser(server, "otto");
  await group(server, { members: [user("otto")] }, "", "admins");
  await done(
    server.call("PUT", "/rolebindings/admins", {
      body: { spec: { role: "owner", subject: { kind: "Group", name: "admins" } } },
    }),
  );
  const tries = [
    otto.call("PATCH", "/groups/admins", { body: { spec: { members: [] } } }),
    otto.call("DELETE", "/groups/admins"),
    otto.call("DELETE", "/rolebindings/admins"),
  ];
  expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([412, 412, 412]);
  expect((await server.call("PATCH", "/groups/admins", { body: { spec: { members: [] } } })).status).toBe(
    200,
  );
  expect((await otto.call("GET", "/users")).body.items).toHaveLength(1);
});

test("a user's password sign-in brings the roles of its groups along", async () => {
  const server = await start();
  await newUser(server, "bob");
  await setPassword(server, "bob");
  await group(server, { members: [user("bob")] });
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "Group", name: "devs" });
  expect(await sees(personWith(server, "bob", await signIn(server, "bob")))).toBe(200);
});
