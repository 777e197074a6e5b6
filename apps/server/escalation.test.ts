import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  behindProxy,
  bind,
  done,
  inScope,
  newProgram,
  newToken,
  newUser,
  type Person,
  password,
  personWith,
  setPassword,
  signIn,
} from "./testing-people.ts";

/** acme with a shop and its production, and another organization. */
async function start(): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  for (const scope of ["globex", "acme/shop", "acme/shop/prod"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  return server;
}

function binds(person: Person, scope: string, role: string, subject: object) {
  return person.call("PUT", `${inScope(scope)}/rolebindings/more`, { body: { spec: { role, subject } } });
}

async function status(person: Person, path = "/whoami"): Promise<number> {
  return (await person.call("GET", path)).status;
}

test("an owner gives roles in their own scope and below, and nowhere else", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  const self = { kind: "User", name: "olga" };
  expect((await binds(olga, "", "viewer", self)).status).toBe(403);
  expect((await binds(olga, "globex", "viewer", self)).status).toBe(404);
  expect((await binds(olga, "acme", "owner", self)).status).toBe(201);
  expect((await binds(olga, "acme/shop/prod", "owner", self)).status).toBe(201);
  expect(await status(olga, "/users/ada")).toBe(404);
  expect(await status(olga, "/organizations/globex")).toBe(404);
});

test("nobody but an owner gives roles, not even their own role to somebody else, nor changes their own binding", async () => {
  const server = await start();
  for (const role of ["editor", "viewer", "auditor"] as const) {
    const person = await newUser(server, role, [{ role, scope: "acme" }]);
    for (const scope of ["", "acme", "acme/shop", "acme/shop/prod"])
      expect((await binds(person, scope, "viewer", { kind: "User", name: role })).status, scope).toBe(403);
    const { body } = await person.call(
      "GET",
      `/organizations/acme/rolebindings?fields=spec.subject.name=${role}`,
    );
    const own = `/organizations/acme/rolebindings/${body.items[0].metadata.name}`;
    expect((await person.call("PATCH", own, { body: { spec: { role: "owner" } } })).status).toBe(403);
    expect((await person.call("DELETE", own)).status).toBe(403);
  }
});

test("a binding that says it lives elsewhere than where it is sent is refused", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme/shop" }]);
  const spec = { role: "owner", subject: { kind: "User", name: "olga" } };
  for (const scope of ["", "acme", "globex"])
    expect(
      (
        await olga.call("PUT", "/organizations/acme/projects/shop/rolebindings/up", {
          body: { metadata: { scope }, spec },
        })
      ).status,
    ).toBe(422);
  const resources = ["", "acme", "globex"].map((scope) => ({
    apiVersion: "reeve/v1",
    kind: "RoleBinding",
    metadata: { scope, name: "up" },
    spec,
  }));
  const answer = await olga.call("POST", "/apply", { body: { resources } });
  expect(answer.body.results.map((one: { problem?: { status: number } }) => one.problem?.status)).toEqual([
    403, 403, 404,
  ]);
});

test("a user's token is issued by that user alone", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  const eve = await newUser(server, "eve", [{ role: "owner", scope: "acme" }]);
  const spec = { subject: { kind: "User", name: "bob" } };
  await done(bob.call("PUT", "/tokens/bobs", { body: { spec } }));
  expect((await server.call("POST", "/tokens/bobs/actions/issue", { body: {} })).status).toBe(403);
  expect((await eve.call("POST", "/tokens/bobs/actions/issue", { body: {} })).status).toBe(404);
  expect((await eve.call("PUT", "/tokens/of-bob", { body: { spec } })).status).toBe(403);
  const { secret } = (await done(bob.call("POST", "/tokens/bobs/actions/issue", { body: {} }))).body;
  const { body } = await personWith(server, "bob", secret).call("GET", "/whoami");
  expect([body.subject.name, body.via.kind]).toEqual(["bob", "token"]);
});

test("a program's token is issued only by somebody who holds everything the program holds", async () => {
  const server = await start();
  const shop = "/organizations/acme/projects/shop";
  await done(server.call("PUT", `${shop}/serviceaccounts/ci`, { body: {} }));
  await done(
    server.call("PUT", `${shop}/tokens/ci`, {
      body: { spec: { subject: { kind: "ServiceAccount", name: "ci" } } },
    }),
  );
  const shopOwner = await newUser(server, "sam", [{ role: "owner", scope: "acme/shop" }]);
  const acmeOwner = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  const issue = (person: Person) =>
    person.call("POST", `${shop}/tokens/ci/actions/issue`, { body: {} }).then((answer) => answer.status);
  expect(await issue(shopOwner)).toBe(200);
  const ci = { kind: "ServiceAccount", name: "ci", scope: "acme/shop" };
  await bind(server, { role: "viewer", scope: "acme" }, ci);
  expect(await issue(shopOwner)).toBe(403);
  expect(await issue(acmeOwner)).toBe(200);
  await bind(server, { role: "viewer", scope: "globex" }, ci);
  expect(await issue(acmeOwner)).toBe(403);
  expect((await server.call("POST", `${shop}/tokens/ci/actions/issue`, { body: {} })).status).toBe(200);
});

test("a user that is deleted and made anew has none of the old rights, sessions, tokens or passwords", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "owner", scope: "acme" }]);
  await setPassword(server, "bob");
  const session = personWith(server, "bob", await signIn(server, "bob"));
  await done(
    session.call("PUT", "/tokens/bobs", { body: { spec: { subject: { kind: "User", name: "bob" } } } }),
  );
  const { secret } = (await done(session.call("POST", "/tokens/bobs/actions/issue", { body: {} }))).body;
  const token = personWith(server, "bob", secret);
  expect(await status(token, "/organizations/acme")).toBe(200);
  await done(server.call("DELETE", "/users/bob"));
  expect(await status(session)).toBe(401);
  expect(await status(token)).toBe(401);
  await expect.poll(() => server.call("GET", "/users/bob").then((answer) => answer.status)).toBe(404);
  await done(server.call("PUT", "/users/bob", { body: {} }));
  expect(await status(session)).toBe(401);
  expect(await status(token)).toBe(401);
  await expect(signIn(server, "bob")).rejects.toThrow("401");
  await setPassword(server, "bob");
  const again = personWith(server, "bob", await signIn(server, "bob"));
  expect((await again.call("GET", "/whoami")).body.grants).toEqual([]);
  expect(await status(again, "/organizations/acme")).toBe(404);
  expect((await again.call("GET", "/tokens")).body.items).toEqual([]);
  expect(await status(bob)).toBe(401);
});

test("a disabled user's sessions and tokens stop at once and it cannot sign in; enabled, they work again", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  await setPassword(server, "bob");
  const session = personWith(server, "bob", await signIn(server, "bob"));
  await done(
    session.call("PUT", "/tokens/bobs", { body: { spec: { subject: { kind: "User", name: "bob" } } } }),
  );
  const { secret } = (await done(session.call("POST", "/tokens/bobs/actions/issue", { body: {} }))).body;
  const token = personWith(server, "bob", secret);
  expect([await status(bob), await status(session), await status(token)]).toEqual([401, 200, 200]);
  await done(server.call("PATCH", "/users/bob", { body: { spec: { disabled: true } } }));
  expect([await status(session), await status(token)]).toEqual([401, 401]);
  await expect(signIn(server, "bob")).rejects.toThrow("401");
  await done(server.call("PATCH", "/users/bob", { body: { spec: { disabled: false } } }));
  expect([await status(session), await status(token)]).toEqual([200, 200]);
});

test("a disabled program's tokens stop at once", async () => {
  const server = await start();
  const ci = await newProgram(server, "acme", "ci", [{ role: "viewer", scope: "acme" }]);
  expect(await status(ci)).toBe(200);
  await done(
    server.call("PATCH", "/organizations/acme/serviceaccounts/ci", { body: { spec: { disabled: true } } }),
  );
  expect(await status(ci)).toBe(401);
});

test("a token stops when it expires, to the moment, and is taken away", async () => {
  const server = await start();
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/ci", { body: {} }));
  const expiresAt = new Date(Date.now() + 4000).toISOString();
  const ci = personWith(server, "ci", await newToken(server, "acme", "ci", { expiresAt }));
  let worked = 0;
  for (let before = Date.now(); before < Date.parse(expiresAt) + 500; before = Date.now()) {
    const answered = await status(ci);
    if (answered === 200) worked++;
    if (answered === 200) expect(before, "worked after it had expired").toBeLessThan(Date.parse(expiresAt));
    await sleep(20);
  }
  expect(worked).toBeGreaterThan(0);
  await expect
    .poll(() => server.call("GET", "/organizations/acme/tokens/ci").then((answer) => answer.status))
    .toBe(404);
});

test("whether a token has expired is a matter of the database's clock, not of this replica's", async () => {
  const server = await start();
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/ci", { body: {} }));
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const ci = personWith(server, "ci", await newToken(server, "acme", "ci", { expiresAt }));
  const looked = async () => (await server.call("GET", "/organizations/acme/tokens/ci/why")).body.look?.why;
  await expect.poll(looked).toContain("then it is removed");
  expect(await status(ci)).toBe(200);
});

test("an expired token cannot be issued, and one that was deleted or issued anew stops", async () => {
  const server = await start();
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/ci", { body: {} }));
  await expect(newToken(server, "acme", "ci", { expiresAt: "2020-01-01T00:00:00Z" })).rejects.toThrow(
    /412|404/,
  );
  const first = personWith(server, "ci", await newToken(server, "acme", "ci", { description: "one" }));
  expect(await status(first)).toBe(200);
  const { body } = await done(server.call("POST", "/organizations/acme/tokens/ci/actions/issue"));
  const second = personWith(server, "ci", body.secret);
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  await done(server.call("DELETE", "/organizations/acme/tokens/ci"));
  expect(await status(second)).toBe(401);
});

test("a role that is taken away is gone with the next request, also where it came from above", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme" }]);
  expect(await status(bob, "/organizations/acme/projects/shop/workspaces/prod")).toBe(200);
  const { body } = await server.call("GET", "/organizations/acme/rolebindings?fields=spec.subject.name=bob");
  await done(server.call("DELETE", `/organizations/acme/rolebindings/${body.items[0].metadata.name}`));
  expect(await status(bob, "/organizations/acme/projects/shop/workspaces/prod")).toBe(404);
  expect(await status(bob)).toBe(200);
});

test("a session ends when its user signs out or ends it, and with a new password all others do", async () => {
  const server = await start();
  await newUser(server, "bob");
  await setPassword(server, "bob");
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(async () => personWith(server, "bob", await signIn(server, "bob"))),
  );
  if (one === undefined || two === undefined || three === undefined) throw new Error("unreachable");
  expect([await status(one), await status(two), await status(three)]).toEqual([200, 200, 200]);
  await done(one.call("DELETE", "/sessions/current"));
  expect([await status(one), await status(two)]).toEqual([401, 200]);
  const changed = await two.call("POST", "/users/bob/actions/set-password", {
    body: { current: password, password: "another good password" },
  });
  expect([changed.status, await status(two), await status(three)]).toEqual([200, 200, 401]);
  await expect(signIn(server, "bob")).rejects.toThrow("401");
  await done(
    server.call("POST", "/users/bob/actions/set-password", { body: { password: "a third good password" } }),
  );
  expect(await status(two)).toBe(401);
});

test("one user cannot end another's session or set another's password, and both are recorded as denied", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  const eve = await newUser(server, "eve");
  const { body } = await bob.call("GET", "/sessions");
  const [{ id }] = body.items;
  const tried = await eve.call("DELETE", `/sessions/${id}`, { headers: { "x-request-id": "eve-ends-bob" } });
  expect([tried.status, await status(bob)]).toEqual([404, 200]);
  const set = await eve.call("POST", "/users/bob/actions/set-password", {
    headers: { "x-request-id": "eve-sets-bob" },
    body: { password: "eve knows this one" },
  });
  expect(set.status).toBe(404);
  const rows = await server.database.query(
    "select request_id, outcome from audit where request_id like 'eve-%' order by request_id",
  );
  expect(rows).toEqual([
    { request_id: "eve-ends-bob", outcome: "denied" },
    { request_id: "eve-sets-bob", outcome: "denied" },
  ]);
});

test("giving a workspace to something one may delete does not delete the workspace", async () => {
  const server = await start();
  const ed = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  const prod = "/organizations/acme/projects/shop/workspaces/prod";
  await done(ed.call("PUT", "/organizations/acme/projects/shop/serviceaccounts/bait", { body: {} }));
  expect((await ed.call("DELETE", prod)).status).toBe(403);
  const owner = { kind: "ServiceAccount", name: "bait" };
  const given = await ed.call("PATCH", prod, { body: { metadata: { owner } } });
  expect([given.status, given.body.detail]).toEqual([403, expect.stringContaining("workspaces:delete")]);
  const made = await ed.call("PUT", "/organizations/acme/projects/shop/workspaces/other", {
    body: { metadata: { owner } },
  });
  expect(made.status).toBe(403);
  const fine = await server.call("PATCH", prod, { body: { metadata: { owner } } });
  expect(fine.body.metadata.owner.name).toBe("bait");
});

test("an owner or a subject in another organization is answered like one that is missing", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  await done(server.call("PUT", "/organizations/globex/serviceaccounts/ci", { body: {} }));
  await done(server.call("PUT", "/organizations/globex/projects/ci", { body: {} }));
  const face = async (scope: string, kind: string) => {
    const owned = await olga.call("PUT", "/organizations/acme/serviceaccounts/mine", {
      body: { metadata: { owner: { kind, scope, name: "ci" } } },
    });
    const bound = await binds(olga, "acme", "viewer", { kind: "ServiceAccount", scope, name: "ci" });
    return [owned, bound].map(({ status, body: { requestId: _, ...body } }) =>
      JSON.stringify({ status, body }).replaceAll(scope, "SCOPE"),
    );
  };
  for (const kind of ["ServiceAccount", "Project"])
    expect(await face("globex", kind)).toEqual(await face("nowhere", kind));
  expect((await face("globex", "Project"))[0]).toContain('"status":422');
});

test("owners cannot form a circle, which nothing could ever delete", async () => {
  const server = await start();
  const path = (name: string) => `/organizations/acme/serviceaccounts/${name}`;
  const owner = (name: string) => ({ metadata: { owner: { kind: "ServiceAccount", name } } });
  for (const name of ["a", "b"]) await done(server.call("PUT", path(name), { body: {} }));
  expect((await server.call("PATCH", path("a"), { body: owner("a") })).status).toBe(422);
  await done(server.call("PATCH", path("a"), { body: owner("b") }));
  expect((await server.call("PATCH", path("b"), { body: owner("a") })).status).toBe(412);
  const [one, two] = await Promise.all([
    server.call("PUT", path("x"), { body: {} }),
    server.call("PUT", path("y"), { body: {} }),
  ]);
  expect([one.status, two.status]).toEqual([201, 201]);
  const raced = await Promise.all([
    server.call("PATCH", path("x"), { body: owner("y") }),
    server.call("PATCH", path("y"), { body: owner("x") }),
  ]);
  expect(raced.map((answer) => answer.status).sort()).toEqual([200, 412]);
});

test("nobody can lock themselves out of the installation, but another owner can end their rights", async () => {
  const server = await start();
  const tries = [
    server.call("DELETE", "/rolebindings/ada-owner"),
    server.call("DELETE", "/rolebindings/ada-owner?force=true"),
    server.call("PATCH", "/rolebindings/ada-owner", { body: { spec: { role: "viewer" } } }),
    server.call("DELETE", "/users/ada"),
    server.call("PATCH", "/users/ada", { body: { spec: { disabled: true } } }),
  ];
  expect((await Promise.all(tries)).map((answer) => answer.status)).toEqual([412, 412, 412, 412, 412]);
  expect(
    (await server.call("PATCH", "/rolebindings/ada-owner", { body: { metadata: { labels: { a: "b" } } } }))
      .status,
  ).toBe(200);
  const otto = await newUser(server, "otto", [{ role: "owner", scope: "" }]);
  expect((await otto.call("DELETE", "/rolebindings/ada-owner")).status).toBe(200);
  expect((await server.call("GET", "/users/otto")).status).toBe(404);
});
