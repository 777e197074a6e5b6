import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { openApp } from "./testing-factors.ts";
import {
  behindProxy,
  done,
  newUser,
  type Person,
  password,
  personWith,
  setPassword,
  signIn,
} from "./testing-people.ts";
import { federate, handOver, startProvider } from "./testing-provider.ts";

/** What people do to their own way in changes no resource: each deed must leave its record all the same. */
test("whatever changes how somebody gets in is recorded, done or denied, without what is secret of it", async () => {
  const server = await testServer({ settings: behindProxy });
  const provider = await startProvider(server);
  await federate(server, provider);
  for (const person of ["grace", "bob"]) await provider.tell(person);
  let grace = await withPassword(server, "grace");
  const bob = await withPassword(server, "bob");
  await done(bob.call("POST", "/identities", { body: await handOver(server, "bob") }));
  const [his] = (await bob.call("GET", "/identities")).body.items;
  const [session] = (await bob.call("GET", "/sessions")).body.items;
  const secrets = [password, grace.token];
  let requests = 0;

  /** What is answered to Grace, who may get another secret by it, and what is recorded of that request. */
  async function recorded(method: string, path: string, body?: object): Promise<[number, object[]]> {
    const id = `request-${++requests}`;
    const headers = { "x-request-id": id, "x-forwarded-for": "10.3.3.3" };
    const { status, body: answer } = await grace.call(method, path, { headers, ...(body && { body }) });
    if (answer.token !== undefined) grace = personWith(server, "grace", answer.token);
    secrets.push(grace.token, ...(answer.codes ?? []));
    const rows = await server.database.query<{ via: string }>(
      "select operation, outcome, subject, via, address, kind, scope, name, detail from audit where request_id = $1",
      [id],
    );
    for (const { via } of rows) expect(via).toMatch(/^session:/);
    return [status, rows];
  }
  const row = (operation: string, more: object = {}) => ({
    ...{ operation, outcome: "done", subject: "user:grace", address: "10.3.3.3" },
    ...{ kind: "User", scope: "", name: "grace", ...more },
  });
  const refused = (operation: string, kind: string, name: string) =>
    row(operation, { outcome: "denied", kind, name });

  const confirm = "/sessions/current/confirm";
  expect(await recorded("POST", confirm, { password: "not this one" })).toMatchObject([
    422,
    [refused("confirm", "User", "grace")],
  ]);
  expect(await recorded("POST", confirm, { password })).toMatchObject([
    200,
    [row("confirm", { detail: { factors: ["password"] } })],
  ]);

  const { seed } = (await done(grace.call("POST", "/factors/totp/seed", { body: {} }))).body;
  secrets.push(seed);
  const app = { seed, code: openApp(seed).code(), name: "phone" };
  expect(await recorded("POST", "/factors/totp", app)).toMatchObject([
    201,
    [row("add-factor", { detail: { kind: "totp", name: "phone" } })],
  ]);
  expect(await recorded("POST", "/factors/recovery-codes", {})).toMatchObject([
    201,
    [row("new-recovery-codes")],
  ]);
  const nobodys = "01900000-0000-7000-8000-0000000000ff";
  expect(await recorded("DELETE", `/factors/${nobodys}`)).toMatchObject([
    404,
    [refused("remove-factor", "Factor", nobodys)],
  ]);
  const [factor] = (await grace.call("GET", "/factors")).body.items;
  expect(await recorded("DELETE", `/factors/${factor.id}`)).toMatchObject([
    200,
    [row("remove-factor", { detail: { kind: "totp", name: "phone" } })],
  ]);

  const handed = await handOver(server, "grace");
  secrets.push(handed.code);
  const detail = { provider: "corporate", subject: "grace" };
  expect(await recorded("POST", "/identities", handed)).toMatchObject([201, [row("link", { detail })]]);
  expect(await recorded("DELETE", `/identities/${his.id}`)).toMatchObject([
    404,
    [refused("unlink", "Identity", his.id)],
  ]);
  const [own] = (await grace.call("GET", "/identities")).body.items;
  expect(await recorded("DELETE", `/identities/${own.id}`)).toMatchObject([200, [row("unlink", { detail })]]);

  expect(await recorded("POST", "/users/bob/actions/end-sessions", {})).toMatchObject([
    404,
    [refused("end-sessions", "User", "bob")],
  ]);
  expect(await recorded("DELETE", `/sessions/${session.id}`)).toMatchObject([
    404,
    [refused("sign-out", "Session", session.id)],
  ]);
  expect(await recorded("DELETE", "/sessions")).toMatchObject([200, [row("end-sessions")]]);
  const last = (await grace.call("GET", "/sessions")).body.items[0].id;
  expect(await recorded("DELETE", "/sessions/current")).toMatchObject([
    200,
    [row("sign-out", { kind: "Session", name: last })],
  ]);

  const all = JSON.stringify(await server.database.query("select a::text as row from audit a"));
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});

async function withPassword(server: TestServer, name: string): Promise<Person> {
  await newUser(server, name);
  await setPassword(server, name);
  return personWith(server, name, await signIn(server, name));
}
