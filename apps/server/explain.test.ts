import { expect, test } from "vitest";
import { registry } from "./areas.ts";
import { type TestServer, testServer } from "./testing.ts";
import { bind, done, inScope, newProgram, newUser, type Person } from "./testing-people.ts";

async function start(): Promise<TestServer> {
  const server = await testServer();
  for (const scope of ["globex", "acme/shop", "acme/shop/prod"])
    await done(server.call("PUT", inScope(scope), { body: {} }));
  return server;
}

type Asks = Pick<Person, "call">;
const ask = (person: Asks, question: object) => person.call("POST", "/can-i", { body: question });
const may = async (person: Asks, question: object) => (await done(ask(person, question))).body.allowed;
const user = (name: string) => ({ kind: "User", name });

test("the answer is what would happen: by roles, for one's own, and on the way", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme/shop" }]);
  await done(bob.call("PUT", "/tokens/bobs", { body: { spec: { subject: user("bob") } } }));
  await done(server.call("PUT", "/tokens/adas", { body: { spec: { subject: user("ada") } } }));
  const cases: [boolean, string, string, string, string?][] = [
    [true, "read", "Workspace", "acme/shop", "prod"],
    [false, "update", "Workspace", "acme/shop", "prod"],
    [true, "read", "Project", "acme", "shop"],
    [true, "read", "Organization", "", "acme"],
    [true, "read", "Organization", ""],
    [false, "read", "Organization", "", "globex"],
    [false, "create", "Project", "acme"],
    [true, "read", "User", "", "bob"],
    [false, "read", "User", "", "ada"],
    [true, "set-password", "User", "", "bob"],
    [false, "update", "User", "", "bob"],
    [true, "read", "User", ""],
    [true, "create", "Token", ""],
    [false, "create", "Token", "acme"],
    [true, "issue", "Token", "", "bobs"],
    [false, "issue", "Token", "", "adas"],
    [false, "read", "Token", "", "adas"],
  ];
  for (const [expected, verb, kind, scope, name] of cases)
    expect(
      await may(bob, { verb, kind, scope, ...(name ? { name } : {}) }),
      `${verb} ${kind} ${scope}/${name}`,
    ).toBe(expected);
  const ci = await newProgram(server, "acme", "ci");
  expect(await may(ci, { verb: "create", kind: "Token", scope: "" })).toBe(false);
});

test("rights over runs are asked of a scope, though runs are no kind", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme/shop" }]);
  const runs = (verb: string, scope: string) => ask(bob, { verb, kind: "runs", scope });
  expect((await runs("logs", "acme/shop/prod")).body).toMatchObject({
    allowed: true,
    permission: "runs:logs",
  });
  expect((await runs("logs", "acme")).body.allowed).toBe(false);
  expect((await runs("cancel", "acme/shop")).body).toMatchObject({
    allowed: false,
    permission: "runs:cancel",
    wouldGive: ["owner", "editor"],
  });
  expect((await runs("paint", "acme/shop")).body.errors[0].pointer).toBe("/verb");
});

test("reading and the answer about reading agree, for every kind and every role", async () => {
  const server = await start();
  const people = [
    await newUser(server, "nobody"),
    await newUser(server, "viewer", [{ role: "viewer", scope: "acme/shop" }]),
    await newUser(server, "owner", [{ role: "owner", scope: "acme" }]),
  ];
  const scopes = {
    installation: "",
    organization: "acme",
    project: "acme/shop",
    workspace: "acme/shop/prod",
  };
  for (const person of people)
    for (const kind of registry.kinds)
      for (const level of kind.levels) {
        const scope = scopes[level];
        const listed = await person.call("GET", `${inScope(scope)}/${kind.plural}`);
        const answer = await may(person, { verb: "read", kind: kind.name, scope });
        expect(answer, `${person.name}: ${kind.name} in ${scope}`).toBe(listed.status === 200);
      }
});

test("the whole chain is told: each binding with its scope and who made it, the group, the role", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  await newUser(server, "grace");
  await done(server.call("PUT", "/roles/deployer", { body: { spec: { allows: ["workspaces:*"] } } }));
  await done(
    olga.call("PUT", "/organizations/acme/groups/devs", { body: { spec: { members: [user("grace")] } } }),
  );
  const bindings: [string, string, object][] = [
    ["acme", "devs", { role: "editor", subject: { kind: "Group", name: "devs" } }],
    ["acme/shop", "graces", { role: "deployer", subject: user("grace") }],
    ["acme", "sees", { role: "viewer", subject: user("grace") }],
  ];
  for (const [scope, name, spec] of bindings)
    await done(olga.call("PUT", `${inScope(scope)}/rolebindings/${name}`, { body: { spec } }));
  const question = {
    verb: "update",
    kind: "workspaces",
    scope: "acme/shop",
    name: "prod",
    as: user("grace"),
  };
  const { body } = await done(ask(olga, question));
  expect(body).toMatchObject({
    subject: "user:grace",
    allowed: true,
    permission: "workspaces:update",
    scope: "acme/shop/prod",
    chain: [
      { scope: "acme", role: "editor", binding: "acme/devs", group: "acme/devs", by: "user:olga" },
      { scope: "acme/shop", role: "deployer", binding: "acme/shop/graces", by: "user:olga" },
    ],
    wouldGive: [],
  });
});

test("a denial names the roles that would change it, among those the asker may see", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  await newUser(server, "grace");
  await done(server.call("PUT", "/roles/hidden", { body: { spec: { allows: ["workspaces:*"] } } }));
  await done(
    olga.call("PUT", "/organizations/acme/roles/deployer", { body: { spec: { allows: ["workspaces:*"] } } }),
  );
  await done(
    olga.call("PUT", "/organizations/acme/roles/reader", { body: { spec: { allows: ["*:read"] } } }),
  );
  const question = {
    verb: "delete",
    kind: "workspaces",
    scope: "acme/shop",
    name: "prod",
    as: user("grace"),
  };
  const { body } = await done(ask(olga, question));
  expect(body).toMatchObject({ allowed: false, chain: [], wouldGive: ["owner", "deployer"] });
  expect((await ask(server, question)).body.wouldGive).toEqual(["owner", "hidden", "deployer"]);
});

test("only who may explain access there asks for others, and learns nothing of bindings above but that they are", async () => {
  const server = await start();
  const olga = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  const ed = await newUser(server, "ed", [{ role: "editor", scope: "acme" }]);
  const question = (scope: string) => ({ verb: "read", kind: "projects", scope, as: user("ada") });
  expect((await ask(ed, question("acme"))).status).toBe(403);
  const denials = await server.database.query("select subject, name from audit where operation = 'explain'");
  expect(denials).toEqual([{ subject: "user:ed", name: "ada" }]);
  expect((await ask(ed, question("globex"))).status).toBe(404);
  expect((await ask(olga, question("globex"))).status).toBe(404);
  expect((await ask(olga, question(""))).status).toBe(403);
  const { body } = await done(ask(olga, question("acme")));
  expect(body).toMatchObject({ allowed: true, chain: [{ scope: "", role: "owner" }] });
  expect(JSON.stringify(body)).not.toContain("ada-owner");
  const missing = await ask(olga, { ...question("acme"), as: user("nobody") });
  expect([missing.status, missing.body.errors[0].pointer]).toEqual([422, "/as"]);
  await done(server.call("PUT", "/organizations/globex/serviceaccounts/ci", { body: {} }));
  const foreign = (scope: string) =>
    ask(olga, { ...question("acme"), as: { kind: "ServiceAccount", name: "ci", scope } });
  const [there, nowhere] = [await foreign("globex"), await foreign("nowhere")];
  expect([there.status, there.body.detail.replace("globex", "nowhere")]).toEqual([422, nowhere.body.detail]);
});

test("asking for oneself through a group names the group", async () => {
  const server = await start();
  const bob = await newUser(server, "bob");
  await done(
    server.call("PUT", "/organizations/acme/groups/devs", { body: { spec: { members: [user("bob")] } } }),
  );
  await bind(server, { role: "viewer", scope: "acme" }, { kind: "Group", name: "devs" });
  const { body } = await done(ask(bob, { verb: "read", kind: "projects", scope: "acme" }));
  expect(body.why).toMatch(
    /^the role viewer by the binding acme\/b\d+, as a member of the group acme\/devs$/,
  );
});

test("many questions get the answers that each alone would get, in their order", async () => {
  const server = await start();
  const bob = await newUser(server, "bob", [{ role: "viewer", scope: "acme/shop" }]);
  const questions = [
    { verb: "read", kind: "Workflow", scope: "acme/shop" },
    { verb: "create", kind: "Workflow", scope: "acme/shop" },
    { verb: "set-password", kind: "User", scope: "", name: "bob" },
    { verb: "cancel", kind: "runs", scope: "acme/shop" },
    { verb: "read", kind: "audit", scope: "acme" },
  ];
  const { items } = (await done(bob.call("POST", "/can-i/many", { body: { questions } }))).body;
  expect(items.map((one: { allowed: boolean }) => one.allowed)).toEqual([true, false, true, false, false]);
  expect(items[4]).toEqual({ allowed: false, permission: "audit:read", scope: "acme" });
  expect(items[1]).toEqual({ allowed: false, permission: "workflows:create", scope: "acme/shop" });
  const alone = await Promise.all(questions.map((question) => may(bob, question)));
  expect(alone).toEqual([true, false, true, false, false]);
  const wrong = await bob.call("POST", "/can-i/many", {
    body: { questions: [questions[0], { ...questions[0], verb: "fly" }] },
  });
  expect(wrong.status).toBe(422);
  expect(wrong.body.errors).toEqual([{ pointer: "/questions/1/verb", message: expect.any(String) }]);
});
