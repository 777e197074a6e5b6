import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { addApp, firstStep, secondStep, withApp } from "./testing-factors.ts";
import {
  age,
  behindProxy,
  bind,
  done,
  newUser,
  password,
  personWith,
  setPassword,
  signIn,
} from "./testing-people.ts";

test("who has an app signs in with password and code; each code works once", async () => {
  const server = await serverWith("grace");
  const { app, usedCode } = await withApp(server, "grace");
  const first = await server.call("POST", "/sessions", { token: null, body: { user: "grace", password } });
  expect(first).toMatchObject({ status: 201, body: { user: "grace", second: ["totp"] } });
  expect(first.body).not.toHaveProperty("token");
  expect((await server.call("GET", "/whoami", { token: first.body.pending })).status).toBe(401);

  const { pending } = first.body;
  // The code that the app was added with is used up.
  expect((await secondStep(server, pending, usedCode, "10.1.0.1")).status).toBe(401);
  const code = app.code();
  const second = await secondStep(server, pending, code, "10.1.0.1");
  expect(second).toMatchObject({ status: 201, body: { user: "grace" } });
  const me = await server.call("GET", "/whoami", { token: second.body.token });
  expect(me.body.via.factors).toEqual(["password", "totp"]);
  // Neither the finished sign-in nor the code can be used again.
  expect((await secondStep(server, pending, app.code(1), "10.1.0.1")).status).toBe(401);
  const again = await firstStep(server, "grace", "10.1.0.2");
  expect((await secondStep(server, again, code, "10.1.0.2")).status).toBe(401);
});

test("of two that use one code at the same time, one signs in", async () => {
  const server = await serverWith("grace");
  const { app } = await withApp(server, "grace");
  const pending = await Promise.all(["10.1.0.1", "10.1.0.2"].map((from) => firstStep(server, "grace", from)));
  const code = app.code();
  const answers = await Promise.all(pending.map((one) => secondStep(server, one, code, "10.1.0.3")));
  expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
});

test("a recovery code stands in for the app, once; new ones replace the old", async () => {
  const server = await serverWith("grace");
  const plain = personWith(server, "grace", await signIn(server, "grace"));
  expect((await plain.call("POST", "/factors/recovery-codes", { body: {} })).status).toBe(412);
  const { person } = await addApp(server, plain);
  const make = async () =>
    (await done(person.call("POST", "/factors/recovery-codes", { body: {} }))).body.codes;
  const [old] = await make();
  const codes: string[] = await make();
  expect(new Set(codes).size).toBe(10);

  const use = async (code: string) =>
    (await secondStep(server, await firstStep(server, "grace", "10.1.0.1"), code, "10.1.0.1")).status;
  expect(await use(old)).toBe(401);
  expect(await use((codes[0] as string).toUpperCase().replaceAll("-", " "))).toBe(201);
  expect(await use(codes[0] as string)).toBe(401);
  expect((await person.call("GET", "/factors")).body.recoveryCodes).toBe(9);
  const stored = JSON.stringify(await server.database.query("select * from recovery_code"));
  for (const code of codes) expect(stored).not.toContain(code.replaceAll("-", ""));
});

test("seeds lie sealed in the database, and a seed moved to another's row does not open", async () => {
  const server = await serverWith("grace", "eve");
  const [grace, eve] = [await withApp(server, "grace"), await withApp(server, "eve")];
  const rows = JSON.stringify(await server.database.query("select * from totp"));
  expect(rows).not.toContain(grace.app.seed);
  expect(rows).not.toContain(Buffer.from(grace.app.seed).toString("base64"));
  await server.database.query(
    `update totp set seed = (select seed from totp where user_uid = ${uidOf("eve")}) where user_uid = ${uidOf("grace")}`,
  );
  const pending = await firstStep(server, "grace", "10.1.0.1");
  expect((await secondStep(server, pending, eve.app.code(), "10.1.0.1")).status).toBe(500);
});

test("with a second factor only that proves anew; a factor is added and removed with a fresh proof alone", async () => {
  const server = await serverWith("grace");
  const { app, person } = await withApp(server, "grace");
  const [factor] = (await person.call("GET", "/factors")).body.items;
  expect(factor).toMatchObject({ kind: "totp", name: "phone" });
  await age(server, person);
  const remove = (token: string) => server.call("DELETE", `/factors/${factor.id}`, { token });
  expect((await remove(person.token)).status).toBe(403);
  expect((await person.call("POST", "/factors/totp/seed", { body: {} })).status).toBe(403);
  expect((await person.call("POST", "/sessions/current/confirm", { body: { password } })).status).toBe(422);
  const proved = await done(person.call("POST", "/sessions/current/confirm", { body: { code: app.code() } }));
  expect((await remove(proved.body.token)).status).toBe(200);
  expect(await signIn(server, "grace")).toMatch(/^reeve_s_/);
});

test("an owner takes the factors and sessions of who has lost them, and that is recorded; others cannot", async () => {
  const server = await serverWith("grace");
  const { person } = await withApp(server, "grace");
  const eve = await newUser(server, "eve", [{ role: "owner", scope: "acme" }]);
  const reset = (token: string) =>
    server.call("POST", "/users/grace/actions/reset-factors", { token, body: {} });
  expect((await reset(eve.token)).status).toBe(404);
  expect((await reset(person.token)).status).toBe(403);
  expect(await reset(server.owner)).toMatchObject({ status: 200, body: { factorsRemoved: 1 } });
  expect((await person.call("GET", "/whoami")).status).toBe(401);
  expect(await signIn(server, "grace")).toMatch(/^reeve_s_/);
  const [row] = await server.database.query<{ subject: string }>(
    "select subject from audit where operation = 'reset-factors' and outcome = 'done'",
  );
  expect(row?.subject).toBe("user:ada");
  await age(server, personWith(server, "ada", server.owner));
  const late = await reset(server.owner);
  expect(late).toMatchObject({
    status: 403,
    body: { detail: expect.stringMatching(/^fresh authentication needed/) },
  });
});

test("roles in an organization that asks for a second factor count only with one", async () => {
  const server = await serverWith("grace");
  await done(server.call("PUT", "/organizations/blue", { body: {} }));
  for (const scope of ["acme", "blue"])
    await bind(server, { role: "viewer", scope }, { kind: "User", name: "grace" });
  const grace = personWith(server, "grace", await signIn(server, "grace"));
  await done(
    grace.call("PUT", "/tokens/mine", { body: { spec: { subject: { kind: "User", name: "grace" } } } }),
  );
  const token = (await done(grace.call("POST", "/tokens/mine/actions/issue", { body: {} }))).body.secret;
  const sees = async (who: string) =>
    Promise.all(
      ["acme", "blue"].map(
        async (name) => (await server.call("GET", `/organizations/${name}`, { token: who })).status,
      ),
    );
  expect(await sees(grace.token)).toEqual([200, 200]);

  const body = { spec: { requireSecondFactor: true } };
  await done(server.call("PUT", "/organizations/acme", { body }));
  expect(await sees(grace.token)).toEqual([404, 200]);
  expect(await sees(token)).toEqual([404, 200]);
  const me = (await grace.call("GET", "/whoami")).body;
  expect(me.withheld).toEqual([expect.objectContaining({ scope: "acme", role: "viewer" })]);
  expect(me.grants).toEqual([expect.objectContaining({ scope: "blue" })]);

  const { person } = await addApp(server, grace);
  expect(await sees(person.token)).toEqual([200, 200]);
  expect(await sees(token)).toEqual([200, 200]);
  const [factor] = (await person.call("GET", "/factors")).body.items;
  await done(person.call("DELETE", `/factors/${factor.id}`));
  expect(await sees(person.token)).toEqual([404, 200]);
});

/** A server with users who have a password. */
async function serverWith(...users: string[]): Promise<TestServer> {
  const server = await testServer({ settings: behindProxy });
  for (const user of users) {
    await newUser(server, user);
    await setPassword(server, user);
  }
  return server;
}

function uidOf(name: string): string {
  return `(select uid from resource where kind = 'User' and name = '${name}')`;
}
