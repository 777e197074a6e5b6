import { expect, test } from "vitest";
import { roles } from "./areas.ts";
import { type TestServer, testServer } from "./testing.ts";
import { behindProxy, done, newUser, type Person, personWith, signIn } from "./testing-people.ts";

const password = "a long enough password";
const path = "/organizations/acme/invitations/grace";

async function start(): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  return server;
}

/** Makes the invitation and returns the token of its link. */
async function invite(server: Pick<Person, "call">, spec: object = {}): Promise<string> {
  await done(
    server.call("PUT", path, { body: { spec: { email: "Grace@Example.com", role: "viewer", ...spec } } }),
  );
  return issue(server);
}

async function issue(server: Pick<Person, "call">): Promise<string> {
  const { link } = (await done(server.call("POST", `${path}/actions/issue`, { body: {} }))).body;
  expect(link).toMatch(/^http:\/\/localhost:\d+\/invitation#reeve_invitation_/);
  return link.split("#")[1];
}

let arrivals = 0;
function accept(server: TestServer, body: object, token: string | null = null) {
  const headers = { "x-forwarded-for": `10.7.0.${++arrivals}` };
  return server.call("POST", "/invitations/accept", { token, headers, body });
}

test("a link makes a user with the invited address who holds the role there, once", async () => {
  const server = await start();
  const token = await invite(server);
  const made = await accept(server, { token, user: "grace", displayName: "Grace", password });
  expect([made.status, made.body]).toEqual([
    201,
    { user: "grace", created: true, scope: "acme", role: "viewer" },
  ]);
  const grace = personWith(server, "grace", await signIn(server, "grace", password));
  expect((await grace.call("GET", "/users/grace")).body.spec.email).toBe("Grace@Example.com");
  expect((await grace.call("GET", "/organizations/acme/projects/shop")).status).toBe(200);
  expect((await grace.call("DELETE", "/organizations/acme/projects/shop")).status).toBe(403);
  const again = await accept(server, { token, user: "eve", password });
  expect([again.status, again.body.kind]).toEqual([412, "precondition"]);
  expect((await server.call("GET", path)).body.status).toMatchObject({ acceptedBy: "grace" });
  expect((await server.call("POST", `${path}/actions/issue`, { body: {} })).status).toBe(412);
  const audit = await server.database.query(
    "select kind from audit where operation = 'accept' order by kind",
  );
  expect(audit).toEqual([{ kind: "Invitation" }, { kind: "RoleBinding" }, { kind: "User" }]);
});

test("of many who use a link at the same moment, one gets in", async () => {
  const server = await start();
  const token = await invite(server);
  const answers = await Promise.all(
    ["a", "b", "c", "d", "e"].map((user) => accept(server, { token, user, password })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412, 412]);
  const users = await server.database.query("select 1 from resource where kind = 'User'");
  expect(users).toHaveLength(2);
});

test("a signed-in user accepts by the address, never another", async () => {
  const server = await start();
  const token = await invite(server);
  const eve = await newUser(server, "eve");
  const refused = await accept(server, { token }, eve.token);
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    "this invitation is for another address than yours",
  ]);
  await done(server.call("PATCH", "/users/eve", { body: { spec: { email: "eve@example.com" } } }));
  expect((await accept(server, { token }, eve.token)).status).toBe(403);
  const grace = await newUser(server, "grace");
  await done(server.call("PATCH", "/users/grace", { body: { spec: { email: "grace@example.com" } } }));
  const accepted = await accept(server, { token }, grace.token);
  expect(accepted.body).toEqual({ user: "grace", created: false, scope: "acme", role: "viewer" });
  expect((await grace.call("GET", "/organizations/acme/projects/shop")).status).toBe(200);
  expect((await eve.call("GET", "/organizations/acme/projects/shop")).status).toBe(404);
  const denied = await server.database.query(
    "select subject from audit where outcome = 'denied' and operation = 'accept'",
  );
  expect(denied).toEqual([{ subject: "user:eve" }, { subject: "user:eve" }]);
});

test("no second user is made for an address, nor over a name that is taken", async () => {
  const server = await start();
  const token = await invite(server);
  const taken = await accept(server, { token, user: "ada", password });
  expect([taken.status, taken.body.kind]).toEqual([409, "exists"]);
  await newUser(server, "first");
  await done(server.call("PATCH", "/users/first", { body: { spec: { email: "grace@EXAMPLE.com" } } }));
  const second = await accept(server, { token, user: "second", password });
  expect([second.status, second.body.next]).toEqual([409, expect.stringContaining("sign in as that user")]);
  expect((await server.call("GET", "/users/second")).status).toBe(404);
  await done(server.call("DELETE", "/users/first"));
  await expect.poll(() => server.call("GET", "/users/first").then(({ status }) => status)).toBe(404);
  expect((await accept(server, { token, user: "second", password })).status).toBe(201);
});

test("a link that was replaced, whose invitation was changed, deleted or has expired opens nothing", async () => {
  const server = await start();
  const tries = async (token: string) => (await accept(server, { token, user: "grace", password })).status;
  const first = await invite(server);
  const second = await issue(server);
  expect(await tries(first)).toBe(412);
  await done(server.call("PATCH", path, { body: { spec: { email: "mallory@example.com" } } }));
  expect(await tries(second)).toBe(412);
  const third = await issue(server);
  await server.database.query("update ticket set expires_at = now() where use = 'invitation'");
  expect(await tries(third)).toBe(412);
  const fourth = await issue(server);
  await done(server.call("DELETE", path));
  expect(await tries(fourth)).toBe(412);
  expect(await tries("reeve_invitation_wrong")).toBe(412);
  const late = await server.call("PUT", path, {
    body: { spec: { email: "grace@example.com", role: "viewer", expiresAt: "2020-01-01T00:00:00Z" } },
  });
  expect(late.status).toBe(201);
  expect((await server.call("POST", `${path}/actions/issue`, { body: {} })).status).toBe(412);
});

test("nobody invites to more than they hold, and no link is kept anywhere", async () => {
  const server = await start();
  const allows = [...(roles.viewer?.allows ?? []), "invitations:*"];
  await done(server.call("PUT", "/organizations/acme/roles/host", { body: { spec: { allows } } }));
  const host = await newUser(server, "host", [{ role: "host", scope: "acme" }]);
  const spec = { email: "grace@example.com", role: "owner" };
  expect((await host.call("PUT", path, { body: { spec } })).status).toBe(403);
  await done(server.call("PUT", path, { body: { spec } }));
  const issued = await host.call("POST", `${path}/actions/issue`, { body: {} });
  expect([issued.status, issued.body.detail]).toEqual([
    403,
    expect.stringContaining("you cannot give the role owner"),
  ]);
  const token = await invite(host, { role: "viewer" });
  const kept = await server.database.query(
    "select c::text as row from change c union all select a::text from audit a union all select t::text from ticket t",
  );
  expect(JSON.stringify(kept)).not.toContain(token);
});

test("an invitation is taken away a week after it was accepted or expired", async () => {
  const server = await start();
  await invite(server);
  await server.database.query(
    `update resource set status = jsonb_set(status, '{expiresAt}', '"2020-01-01T00:00:00Z"') where kind = 'Invitation'`,
  );
  await server.database.query("update look set due_at = now() where kind = 'Invitation'");
  await expect.poll(() => server.call("GET", path).then(({ status }) => status)).toBe(404);
});
