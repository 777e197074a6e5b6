import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  age,
  behindProxy,
  done,
  newProgram,
  newUser,
  type Person,
  password,
  personWith,
  setPassword,
  signIn,
} from "./testing-people.ts";
import { openWatch } from "./testing-watch.ts";

test("proving anew makes a session fresh again, with another secret; the old one works no more", async () => {
  const server = await testServer({ settings: behindProxy });
  const grace = await withPassword(server, "grace", [{ role: "owner", scope: "" }]);
  await newUser(server, "eve");
  const set = (person: Person) =>
    person.call("POST", "/users/eve/actions/set-password", { body: { password } });

  expect((await set(grace)).status).toBe(200);
  await age(server, grace);
  expect((await grace.call("GET", "/users/eve")).status).toBe(200);
  const stale = await set(grace);
  expect(stale).toMatchObject({ status: 403, body: { kind: "forbidden" } });
  expect(stale.body.detail).toMatch(/^fresh authentication needed/);
  expect(stale.body.next).toContain("reeve auth confirm");

  const wrong = await grace.call("POST", "/sessions/current/confirm", { body: { password: "not this one" } });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "/password" }] } });
  expect((await set(grace)).status).toBe(403);

  const proved = await done(grace.call("POST", "/sessions/current/confirm", { body: { password } }));
  expect(proved.body).toMatchObject({ user: "grace", token: expect.stringMatching(/^reeve_s_/) });
  expect((await grace.call("GET", "/whoami")).status).toBe(401);
  const renewed = personWith(server, "grace", proved.body.token);
  expect((await set(renewed)).status).toBe(200);
  expect((await renewed.call("GET", "/sessions")).body.items).toHaveLength(1);
});

test("a session that is not fresh gives out nothing that outlives it: no token, invitation or join token; a program does with its own", async () => {
  const server = await testServer({ settings: behindProxy });
  const grace = await withPassword(server, "grace", [{ role: "owner", scope: "acme" }]);
  const program = await newProgram(server, "acme", "ci", [{ role: "owner", scope: "acme" }]);
  await done(
    grace.call("PUT", "/tokens/mine", { body: { spec: { subject: { kind: "User", name: "grace" } } } }),
  );
  const bot = { spec: { subject: { kind: "ServiceAccount", name: "ci" } } };
  await done(grace.call("PUT", "/organizations/acme/tokens/bot", { body: bot }));
  const invited = { spec: { email: "eve@example.com", role: "viewer" } };
  await done(grace.call("PUT", "/organizations/acme/invitations/eve", { body: invited }));
  await done(grace.call("PUT", "/organizations/acme/jointokens/edge", { body: { spec: {} } }));
  const ofAcme = ["tokens/bot", "invitations/eve", "jointokens/edge"].map(
    (one) => `/organizations/acme/${one}`,
  );
  const issue = async (by: Person, path: string) =>
    (await by.call("POST", `${path}/actions/issue`, { body: {} })).status;

  await age(server, grace);
  for (const path of ["/tokens/mine", ...ofAcme]) expect(await issue(grace, path), path).toBe(403);
  expect((await grace.call("GET", "/tokens/mine")).body.status).not.toHaveProperty("issuedAt");
  for (const path of ofAcme) expect(await issue(program, path), path).toBe(200);

  const proved = await done(grace.call("POST", "/sessions/current/confirm", { body: { password } }));
  expect(await issue(personWith(server, "grace", proved.body.token), "/tokens/mine")).toBe(200);
});

test("a token is never fresh, and cannot prove anything", async () => {
  const server = await testServer({ settings: behindProxy });
  await newUser(server, "eve");
  const program = await newProgram(server, "acme", "ci", [{ role: "owner", scope: "" }]);
  const set = await program.call("POST", "/users/eve/actions/set-password", { body: { password } });
  expect(set).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("a token cannot prove") },
  });
  const proof = await program.call("POST", "/sessions/current/confirm", { body: { password } });
  expect(proof.status).toBe(403);
});

test("a secret that came in a cookie leaves in a cookie only", async () => {
  const server = await testServer({ settings: behindProxy });
  const grace = await withPassword(server, "grace");
  const headers = { cookie: `reeve=${grace.token}`, "sec-fetch-site": "same-origin" };
  const answer = await server.call("POST", "/sessions/current/confirm", {
    token: null,
    headers,
    body: { password },
  });
  expect(answer.status).toBe(200);
  expect(answer.body).not.toHaveProperty("token");
  expect(answer.headers.get("set-cookie")).toMatch(/^reeve=reeve_s_\S+; Path=\/; HttpOnly; SameSite=Lax/);
});

test("a person ends the other sessions at once; an owner ends all of somebody's", async () => {
  const server = await testServer({ settings: behindProxy });
  const grace = await withPassword(server, "grace");
  const elsewhere = personWith(server, "grace", await signIn(server, "grace"));
  expect((await elsewhere.call("GET", "/whoami")).status).toBe(200);
  expect((await grace.call("DELETE", "/sessions")).body).toEqual({ ended: 1 });
  expect((await elsewhere.call("GET", "/whoami")).status).toBe(401);
  expect((await grace.call("GET", "/whoami")).status).toBe(200);

  const eve = await newUser(server, "eve");
  expect((await eve.call("POST", "/users/grace/actions/end-sessions", { body: {} })).status).toBe(404);
  const ended = await server.call("POST", "/users/grace/actions/end-sessions", { body: {} });
  expect(ended).toMatchObject({ status: 200, body: { sessionsEnded: 1 } });
  expect((await grace.call("GET", "/whoami")).status).toBe(401);
});

test("a session ends at its time, and when nobody has used it for a week", async () => {
  const server = await testServer();
  for (const column of ["expires_at = now()", "seen_at = now() - interval '7 days'"]) {
    const eve = await newUser(server, "eve");
    await server.database.query(`update session set ${column} where user_uid = ${uidOf("eve")}`);
    expect((await eve.call("GET", "/whoami")).status, column).toBe(401);
  }
});

test.each([
  { what: "session", path: "/sessions/current", by: newGrace },
  { what: "token", path: "/organizations/acme/tokens/ci", by: newCi },
])("a $what that ends on one replica ends on the others, with its watches", async ({ path, by }) => {
  const one = await testServer({ settings: behindProxy });
  const two = await testServer({ settings: behindProxy, share: one });
  const links = async () => JSON.stringify((await one.call("GET", "/debug/links")).body);
  await expect.poll(links).toContain('"link":"connected"');
  const { token, call } = await by(one);
  const openedAt = performance.now();
  const watch = await openWatch(two, "/organizations/acme/tokens", { token });
  await watch.find(({ event }) => event === "synced");
  expect((await two.call("GET", "/whoami", { token })).status).toBe(200);
  expect((await call("DELETE", path)).status).toBe(200);
  expect((await call("GET", "/whoami")).status).toBe(401);
  await watch.find(({ event }) => event === "end");
  const why = "told, and not found when it looked at the rights of its watchers, half a minute later";
  expect(performance.now() - openedAt, why).toBeLessThan(30_000);
  expect((await two.call("GET", "/whoami", { token })).status).toBe(401);
});

function newGrace(server: TestServer): Promise<Person> {
  return newUser(server, "grace", [{ role: "owner", scope: "acme" }]);
}

function newCi(server: TestServer): Promise<Person> {
  return newProgram(server, "acme", "ci", [{ role: "owner", scope: "acme" }]);
}

async function withPassword(
  server: TestServer,
  name: string,
  held: Parameters<typeof newUser>[2] = [],
): Promise<Person> {
  await newUser(server, name, held);
  await setPassword(server, name);
  return personWith(server, name, await signIn(server, name));
}

function uidOf(name: string): string {
  return `(select uid from resource where kind = 'User' and name = '${name}')`;
}
