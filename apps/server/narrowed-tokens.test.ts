import { newUid } from "@reeve/model";
import { expect, test } from "vitest";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { callConnect, narrowedPerson, narrowedProgram } from "./testing-narrowed.ts";
import { bind, done, inScope, newProgram, newUser, type Person } from "./testing-people.ts";
import { openWatch } from "./testing-watch.ts";

const shop = "/organizations/acme/projects/shop";
const blog = "/organizations/acme/projects/blog";
const ci = { scope: "acme", name: "ci" };

/** acme with a shop and a blog, globex beside it, and the account `ci`, an owner of all acme. */
async function start(): Promise<TestServer> {
  const server = await testServer();
  const scopes = ["globex", "acme/shop", "acme/shop/prod", "acme/blog", "acme/blog/prod"];
  for (const scope of scopes) await done(server.call("PUT", inScope(scope), { body: {} }));
  await newProgram(server, "acme", "ci", [{ role: "owner", scope: "acme" }]);
  return server;
}

const face = ({ status, body }: Answer) => ({
  status,
  detail: body.detail,
  names: body.items?.map((one: { metadata: { name: string } }) => one.metadata.name),
  results: body.results?.map((one: { problem?: { detail: string } }) => one.problem?.detail),
});

function manifest(scope: string, name: string) {
  return { apiVersion: "reeve/v1", kind: "ServiceAccount", metadata: { scope, name }, spec: {} };
}

/** But of kinds of which one may have something of one's own: there an account would be told that it has none. */
const requests: readonly [string, string, object?][] = [
  ...[
    ...["/organizations", "/organizations/acme", "/organizations/globex", "/organizations/acme/projects"],
    ...[shop, `${shop}/workspaces`, `${shop}/workspaces/prod`, `${shop}/serviceaccounts`],
    ...[blog, `${blog}/workspaces`, `${blog}/workspaces/prod`, `${blog}/history`, `${blog}/why`],
    ...["/serviceaccounts?deep=true", "/organizations/acme/serviceaccounts?deep=true"],
    ...["/organizations/acme/serviceaccounts", "/organizations/acme/serviceaccounts/ci"],
    ...["/users/ada", "/rolebindings", "/audit?scope=acme/blog"],
    ...["/runs?scope=acme/blog", "/runs?scope=acme", "/debug/lane", "/hosts", "/nothing"],
  ].map((path): [string, string] => ["GET", path]),
  ["PUT", `${shop}/serviceaccounts/made`, { spec: {} }],
  ["PUT", `${blog}/serviceaccounts/made`, { spec: {} }],
  ["PUT", "/organizations/acme/serviceaccounts/made", { spec: {} }],
  ["PUT", "/organizations/acme/projects/more", { spec: {} }],
  ["PATCH", "/organizations/acme", { spec: { displayName: "Ours" } }],
  ["PATCH", blog, { spec: { displayName: "Ours" } }],
  ["PATCH", shop, { spec: { displayName: "Ours" } }],
  ["POST", "/apply", { resources: ["acme/shop", "acme/blog", "acme", ""].map((at) => manifest(at, "many")) }],
  ["DELETE", `${blog}/workspaces/prod`],
  ["DELETE", "/organizations/acme/projects/blog"],
  ["POST", `${blog}/tokens/none/actions/issue`, {}],
];

test("a token within a scope is answered like an account that holds its role in that scope alone, whatever is asked", async () => {
  const server = await start();
  const within = await narrowedProgram(server, ci, "narrow", { within: "acme/shop" });
  const there = await newProgram(server, "globex", "there", [{ role: "owner", scope: "acme/shop" }]);
  const seen = new Set<number>();
  for (const [method, path, body] of requests) {
    const options = body === undefined ? {} : { body };
    const expected = await there.call(method, path, options);
    const answer = await within.call(method, path, options);
    // What the one has made is there already when the other makes it.
    const made = expected.status === 201 && answer.status === 200;
    if (!made) expect(face(answer), `${method} ${path}`).toEqual(face(expected));
    seen.add(answer.status);
  }
  expect([...seen].sort()).toEqual([200, 403, 404]);
});

test("a watch tells a narrowed token what lies in its scope, and ends when the token is narrowed further", async () => {
  const server = await start();
  const within = await narrowedProgram(server, ci, "narrow", { within: "acme/shop" });
  const watch = await openWatch(server, "/serviceaccounts?deep=true", within);
  expect((await openWatch(server, `${blog}/serviceaccounts`, within)).status).toBe(404);
  expect((await openWatch(server, "/organizations/acme/serviceaccounts", within)).status).toBe(403);
  for (const scope of ["acme", "globex", "acme/blog", "acme/shop/prod", "acme/shop"])
    await done(server.call("PUT", `${inScope(scope)}/serviceaccounts/new`, { body: {} }));
  const last = (await server.call("GET", `${shop}/serviceaccounts/new`)).body.metadata.revision;
  await watch.until(last);
  const told = watch.heard.filter(({ event }) => event === "added").map(({ data }) => data.resource.metadata);
  expect(told.map(({ scope }) => scope)).toEqual(["acme/shop/prod", "acme/shop"]);
  const narrower = { spec: { within: "acme/shop/prod" } };
  await done(server.call("PATCH", "/organizations/acme/tokens/narrow", { body: narrower }));
  expect((await watch.find(({ event }) => event === "end")).data.problem.status).toBe(409);
});

test("a token that allows some permissions has these where its subject has them, and no others", async () => {
  const server = await start();
  const spec = { allows: ["workspaces:read", "serviceaccounts:*", "users:read"], within: "acme/shop" };
  const few = await narrowedProgram(server, ci, "few", spec);
  const status = (method: string, path: string) =>
    few.call(method, path, method === "PUT" ? { body: {} } : {}).then((answer) => answer.status);
  expect(await status("GET", `${shop}/workspaces/prod`)).toBe(200);
  expect(await status("PUT", `${shop}/workspaces/prod`)).toBe(403);
  expect(await status("PUT", `${shop}/serviceaccounts/made`)).toBe(201);
  expect(await status("GET", `${shop}/tokens`)).toBe(403);
  expect(await status("GET", `${blog}/serviceaccounts`)).toBe(404);
  expect(await status("GET", "/users/ada")).toBe(404);
  const { body } = await server.call("GET", "/organizations/acme/tokens/few");
  expect(body.status.allows).toEqual([
    ...["serviceaccounts:create", "serviceaccounts:delete", "serviceaccounts:read", "serviceaccounts:update"],
    ...["users:read", "workspaces:read"],
  ]);
  // Of what it allows the account has nothing, so it may not even know of the scope.
  await newProgram(server, "acme", "eyes", [{ role: "viewer", scope: "acme" }]);
  const eyes = { scope: "acme", name: "eyes" };
  const none = await narrowedProgram(server, eyes, "none", { allows: ["workspaces:update"] });
  expect((await none.call("GET", "/organizations/acme")).status).toBe(404);
  const wrong = await server.call("PATCH", "/organizations/acme/tokens/few", {
    body: { spec: { allows: ["workspaces:read", "workspaces:fly"] } },
  });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "/spec/allows/1" }] } });
});

test("what is a person's own is not for their narrowed token: their user, tokens, sessions, identities, invitations", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "owner", scope: "acme" }]);
  const narrow = await narrowedPerson(server, bob, "narrow", { within: "acme/shop" });
  const few = await narrowedPerson(server, bob, "few", { allows: ["*:*"] });
  const wide = await narrowedPerson(server, bob, "wide", {});
  const path = "/organizations/acme/invitations/bob";
  await done(server.call("PUT", path, { body: { spec: { email: "bob@example.com", role: "viewer" } } }));
  const { link } = (await done(server.call("POST", `${path}/actions/issue`, { body: {} }))).body;
  const own: readonly [number, string, string, object?][] = [
    [200, "GET", "/users/bob"],
    [200, "GET", "/tokens"],
    [200, "GET", "/tokens/wide"],
    [201, "PUT", "/tokens/more", { spec: { subject: { kind: "User", name: "bob" } } }],
    [200, "POST", "/tokens/more/actions/issue", {}],
    [200, "DELETE", "/tokens/more"],
    // The current password is missing.
    [422, "POST", "/users/bob/actions/set-password", { password: "another good password" }],
    [200, "GET", "/sessions"],
    [404, "DELETE", "/sessions/current"],
    [200, "GET", "/identities"],
    // Bob has another address.
    [403, "POST", "/invitations/accept", { token: link.split("#")[1] }],
    [200, "DELETE", "/sessions"],
  ];
  for (const [, method, address, body] of own)
    for (const token of [narrow, few]) {
      const { status } = await token.call(method, address, body === undefined ? {} : { body });
      expect([403, 404], `${token.name}: ${method} ${address}`).toContain(status);
    }
  expect((await bob.call("GET", "/whoami")).status).toBe(200);
  const accepting = { body: { token: link.split("#")[1] } };
  const refused = await narrow.call("POST", "/invitations/accept", accepting);
  expect(refused.body.detail).toContain("made for less");
  for (const [expected, method, address, body] of own)
    expect((await wide.call(method, address, body === undefined ? {} : { body })).status, address).toBe(
      expected,
    );
});

test("nobody widens a token, be it by its own hand, by an owner's, by an apply or by a way back", async () => {
  const server = await start();
  const spec = { within: "acme/shop", allows: ["*:read", "tokens:*"] };
  const subject = { kind: "ServiceAccount", name: "ci" };
  const itself = await narrowedProgram(server, ci, "narrow", { allows: ["*:read", "tokens:*"] });
  const path = "/organizations/acme/tokens/narrow";
  const change = (by: Pick<Person, "call">, patch: object) =>
    by.call("PATCH", path, { body: { spec: patch } });
  for (const by of [itself, server]) {
    for (const allows of [null, ["*:*"], ["*:read", "tokens:*", "projects:update"]])
      expect(await change(by, { allows }), JSON.stringify(allows)).toMatchObject({
        status: 412,
        body: { detail: "a token can be narrowed, but never widened", next: "make a new token" },
      });
    expect((await by.call("PUT", path, { body: { spec: { subject } } })).status).toBe(412);
  }
  expect((await change(itself, { within: "acme/shop" })).status).toBe(200);
  // It lives in acme, beyond its own reach now.
  expect((await change(itself, { within: "acme" })).status).toBe(404);
  for (const within of [null, "acme", "acme/blog", "acme/shopping", "globex"])
    expect((await change(server, { within })).status, String(within)).toBe(412);
  expect((await server.call("POST", `${path}/rollback`, { body: { generation: 1 } })).status).toBe(412);
  expect((await change(server, { within: "" })).status).toBe(422);
  const less = { within: "acme/shop/prod", allows: ["workspaces:read"], description: "less" };
  expect((await change(server, less)).status).toBe(200);
  expect((await itself.call("GET", `${shop}/workspaces/prod`)).status).toBe(200);
  expect((await itself.call("GET", `${shop}/serviceaccounts`)).status).toBe(403);
  const same = { subject, ...spec, ...less };
  expect((await server.call("PUT", path, { body: { spec: same } })).status).toBe(200);
});

test("permissions that came with a later version are not among what an older token allows, also when it is written again", async () => {
  const server = await start();
  const few = await narrowedProgram(server, ci, "few", { allows: ["*:read"] });
  await server.database.query(
    `update resource set status = jsonb_set(status, '{allows}', '["projects:read"]') where kind = 'Token' and name = 'few'`,
  );
  const spec = { subject: { kind: "ServiceAccount", name: "ci" }, allows: ["*:read"], description: "again" };
  await done(server.call("PUT", "/organizations/acme/tokens/few", { body: { spec } }));
  expect((await few.call("GET", shop)).status).toBe(200);
  expect((await few.call("GET", `${shop}/serviceaccounts`)).status).toBe(403);
});

test("a narrowed token issues nothing that reaches further than itself, and may issue what does not", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "owner", scope: "" }]);
  await newProgram(server, "acme/shop", "deploy", [{ role: "editor", scope: "acme/shop" }]);
  await bind(
    server,
    { role: "editor", scope: "acme" },
    { kind: "ServiceAccount", name: "ci", scope: "acme" },
  );
  const allows = ["tokens:*", "*:read", "workspaces:*"];
  const narrow = await narrowedProgram(server, ci, "narrow", { allows });
  const person = await narrowedPerson(server, bob, "narrow", { allows });
  const makes = async (by: Person, path: string, spec: object): Promise<number> => {
    await done(by.call("PUT", path, { body: { spec } }));
    return (await by.call("POST", `${path}/actions/issue`, { body: {} })).status;
  };
  const cases: readonly [number, object][] = [
    [403, {}],
    [403, { within: "acme/shop" }],
    [403, { within: "acme/shop", allows: ["*:read", "projects:update"] }],
    [403, { allows: ["*:*"] }],
    [200, { allows: ["*:read"] }],
    [200, { allows }],
    [200, { within: "acme/shop", allows: ["workspaces:update"] }],
  ];
  for (const [index, [expected, spec]] of cases.entries()) {
    const what = JSON.stringify(spec);
    const ofAccount = { subject: { kind: "ServiceAccount", name: "ci" }, ...spec };
    expect(await makes(narrow, `/organizations/acme/tokens/t${index}`, ofAccount), what).toBe(expected);
    const ofPerson = { subject: { kind: "User", name: "bob" }, ...spec };
    expect(await makes(person, `/tokens/t${index}`, ofPerson), what).toBe(expected);
  }
  // Nor one of another account that may do more.
  const other = { subject: { kind: "ServiceAccount", name: "deploy" } };
  expect(await makes(narrow, `${shop}/tokens/t`, other)).toBe(403);
  expect(await makes(narrow, `${shop}/tokens/u`, { ...other, allows: ["workspaces:update"] })).toBe(200);
  // Nor by a binding, a role or a group.
  const giving = await narrowedProgram(server, ci, "giving", { within: "acme/shop", allows: ["*:*"] });
  const role = { role: "owner", subject: { kind: "ServiceAccount", name: "ci", scope: "acme" } };
  const binds = (scope: string) =>
    giving.call("PUT", `${inScope(scope)}/rolebindings/more`, { body: { spec: role } });
  expect((await binds("acme/blog")).status).toBe(404);
  expect((await binds("acme")).status).toBe(403);
  const few = await narrowedProgram(server, ci, "few", { allows: ["rolebindings:*", "roles:*", "groups:*"] });
  const tries: readonly [string, object][] = [
    [`${shop}/rolebindings/more`, role],
    ["/organizations/acme/roles/more", { allows: ["workspaces:update"] }],
    ["/organizations/acme/groups/more", { members: [{ kind: "User", name: "bob" }] }],
  ];
  for (const [path, spec] of tries)
    expect((await few.call("PUT", path, { body: { spec } })).status, path).toBe(403);
});

test("nor one that would reach further once its account holds more", async () => {
  const server = await start();
  const job = { scope: "acme/shop", name: "job" };
  await newProgram(server, job.scope, job.name, [{ role: "owner", scope: "acme/shop" }]);
  const narrow = await narrowedProgram(server, job, "narrow", { within: "acme/shop" });
  const issues = async (name: string, spec: object) => {
    const subject = { kind: "ServiceAccount", name: "job" };
    await done(narrow.call("PUT", `${shop}/tokens/${name}`, { body: { spec: { subject, ...spec } } }));
    return (await narrow.call("POST", `${shop}/tokens/${name}/actions/issue`, { body: {} })).status;
  };
  expect(await issues("whole", {})).toBe(403);
  expect(await issues("same", { within: "acme/shop" })).toBe(200);
});

test("a role at the installation counts for a narrowed token, too, where an organization asks for a second factor", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [
    { role: "owner", scope: "" },
    { role: "editor", scope: "acme" },
  ]);
  const whole = await narrowedPerson(server, bob, "whole", {});
  const narrow = await narrowedPerson(server, bob, "narrow", { within: "acme/shop" });
  await done(server.call("PUT", "/organizations/acme", { body: { spec: { requireSecondFactor: true } } }));
  for (const person of [whole, narrow]) {
    expect((await person.call("GET", shop)).status).toBe(200);
    const { grants, withheld } = (await person.call("GET", "/whoami")).body;
    expect(grants).toEqual([expect.objectContaining({ role: "owner" })]);
    expect(withheld).toEqual([expect.objectContaining({ role: "editor" })]);
  }
});

test("who holds less than an account may still issue it a token for what they hold themselves", async () => {
  const server = await start();
  const sam = await newUser(server, "sam", [{ role: "owner", scope: "acme/shop" }]);
  await done(server.call("PUT", `${shop}/serviceaccounts/deploy`, { body: {} }));
  const deploy = { kind: "ServiceAccount", name: "deploy", scope: "acme/shop" };
  await bind(server, { role: "editor", scope: "acme" }, deploy);
  const make = async (name: string, spec: object) => {
    const path = `${shop}/tokens/${name}`;
    await done(sam.call("PUT", path, { body: { spec: { subject: deploy, ...spec } } }));
    return sam.call("POST", `${path}/actions/issue`, { body: {} });
  };
  expect((await make("wide", {})).status).toBe(403);
  const { status, body } = await make("narrow", { within: "acme/shop" });
  expect(status).toBe(200);
  const reads = (path: string) => server.call("GET", path, { token: body.secret });
  expect([(await reads(shop)).status, (await reads(blog)).status]).toEqual([200, 404]);
});

test("why can and who am I tell what the token was made for", async () => {
  const server = await start();
  const spec = { within: "acme/shop", allows: ["workspaces:*", "projects:read"] };
  const narrow = await narrowedProgram(server, ci, "narrow", spec);
  const ask = async (verb: string, kind: string, scope: string) =>
    (await done(narrow.call("POST", "/can-i", { body: { verb, kind, scope } }))).body;
  expect(await ask("create", "workspaces", "acme/shop")).toMatchObject({
    allowed: true,
    why: expect.stringMatching(/^the role owner by the binding acme\/b\d+$/),
    chain: [{ scope: "acme/shop", role: "owner", by: "user:ada" }],
  });
  expect(await ask("create", "workspaces", "acme/blog")).toMatchObject({
    allowed: false,
    why: "this token reaches acme/shop and what is below it, and nothing else",
    chain: [],
    wouldGive: [],
  });
  expect(await ask("create", "tokens", "acme/shop")).toMatchObject({
    allowed: false,
    why: "this token was made for some permissions only, and tokens:create is none of them",
    wouldGive: [],
  });
  const questions = ["acme/shop", "acme/blog"].map((scope) => ({ verb: "create", kind: "Workspace", scope }));
  const many = (await done(narrow.call("POST", "/can-i/many", { body: { questions } }))).body.items;
  expect(many.map((one: { allowed: boolean }) => one.allowed)).toEqual([true, false]);
  const { via, grants } = (await narrow.call("GET", "/whoami")).body;
  expect(via.narrowed.within).toBe("acme/shop");
  expect(via.narrowed.allows).toEqual([
    ...["projects:read", "workspaces:create", "workspaces:delete", "workspaces:read", "workspaces:update"],
  ]);
  expect(grants).toMatchObject([{ scope: "acme/shop", role: "owner" }]);
  const bob = await newUser(server, "bob");
  const own = await narrowedPerson(server, bob, "own", { within: "acme/shop" });
  const mine = await own.call("POST", "/can-i", { body: { verb: "create", kind: "Token", scope: "" } });
  expect(mine.body).toMatchObject({ allowed: false, why: expect.stringContaining("reaches acme/shop") });
});

test("the Connect door narrows a token just the same", async () => {
  const server = await start();
  const { token } = await narrowedProgram(server, ci, "narrow", { within: "acme/shop" });
  const at = (kind: string, scope: string, name: string) => ({ address: { kind, scope, name } });
  const code = async (method: string, body: object) => {
    const answer = await callConnect(server, token, method, body);
    return answer.status === 200 ? "ok" : answer.body.code;
  };
  expect(await code("Get", at("Project", "acme", "shop"))).toBe("ok");
  expect(await code("Get", at("Project", "acme", "blog"))).toBe("not_found");
  expect(await code("List", { selection: { kind: "Workspace", scope: "acme/blog" } })).toBe("not_found");
  const listed = await callConnect(server, token, "List", { selection: { kind: "Workspace", deep: true } });
  expect(listed.body.items).toMatchObject([{ metadata: { scope: "acme/shop", name: "prod" } }]);
  expect(await code("Apply", { manifest: manifest("acme/shop", "made") })).toBe("ok");
  expect(await code("Apply", { manifest: manifest("acme/blog", "made") })).toBe("not_found");
  expect(await code("Apply", { manifest: manifest("acme", "made") })).toBe("permission_denied");
  expect(await code("Delete", at("Project", "acme", "blog"))).toBe("not_found");
  const widened = {
    ...at("Token", "acme", "narrow"),
    patch: { spec: { within: null } },
  };
  expect(await code("Patch", widened)).toBe("not_found");
  const byOwner = await callConnect(server, server.owner, "Patch", widened);
  expect(byOwner.body).toMatchObject({ code: "failed_precondition" });
  const wider = {
    apiVersion: "reeve/v1",
    kind: "Token",
    metadata: { scope: "acme/shop", name: "wider" },
    spec: { subject: { kind: "ServiceAccount", name: "deploy" } },
  };
  await newProgram(server, "acme/shop", "deploy", [{ role: "viewer", scope: "acme" }]);
  expect(await code("Apply", { manifest: wider })).toBe("ok");
  expect(await code("Act", { ...at("Token", "acme/shop", "wider"), action: "issue" })).toBe(
    "permission_denied",
  );
});

test("a narrowing holds at once on every replica, and where specs are sealed", async () => {
  const server = await start();
  const second = await testServer({ share: server });
  const token = await narrowedProgram(server, ci, "later", {});
  const path = "/organizations/acme/tokens/later";
  const specNow = async () => {
    await done(server.call("PATCH", path, { body: { spec: { description: newUid() } } }));
    const rows = await server.database.query<{ spec: object }>(
      "select spec - 'subject' as spec from resource where kind = 'Token' and name = 'later'",
    );
    return rows[0]?.spec;
  };
  await done(server.call("PATCH", "/organizations/acme", { body: { spec: { encryptAtRest: true } } }));
  await expect.poll(specNow).toEqual({ $sealed: expect.anything() });
  const reads = async (one: TestServer) =>
    (await one.call("GET", `${blog}/workspaces`, { token: token.token })).status;
  expect([await reads(server), await reads(second)]).toEqual([200, 200]);
  await done(server.call("PATCH", path, { body: { spec: { within: "acme/shop" } } }));
  expect(await reads(server)).toBe(404);
  await expect.poll(() => reads(second)).toBe(404);
  expect(await specNow()).toEqual({ within: "acme/shop", $sealed: expect.anything() });
});

test("what a subject was answered by another credential is not repeated to its narrowed token", async () => {
  const server = await start();
  const wide = await narrowedProgram(server, ci, "wide", {});
  const narrow = await narrowedProgram(server, ci, "narrow", { within: "acme/shop" });
  const put = (by: Person, path: string) =>
    by.call("PUT", path, {
      headers: { "idempotency-key": `pipeline-7${path}` },
      body: { spec: { description: "new" } },
    });
  expect((await put(wide, `${blog}/workspaces/prod`)).status).toBe(200);
  expect(await put(narrow, `${blog}/workspaces/prod`)).toMatchObject({
    status: 409,
    body: { kind: "conflict" },
  });
  expect((await put(wide, `${blog}/workspaces/prod`)).status).toBe(200);
  const own = `${shop}/workspaces/prod`;
  const [first, again] = [await put(narrow, own), await put(narrow, own)];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
});
