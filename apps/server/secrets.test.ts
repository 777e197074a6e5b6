import { randomBytes } from "node:crypto";
import { openKeys, openRoots, rootEnvironment } from "@reeve/keys";
import { resolveForRun, resolveSecrets } from "@reeve/secrets/control";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

const rootKey = randomBytes(32).toString("base64");

/** A server with `acme/shop/prod` and `acme/blog`, and keys that open what it sealed. */
async function shop(): Promise<TestServer> {
  const server = await testServer({ settings: { REEVE_ROOT_KEY: rootKey } });
  for (const path of [project, `${project}/workspaces/prod`, "/organizations/acme/projects/blog"])
    await done(server.call("PUT", path, { body: {} }));
  return server;
}

const acme = "/organizations/acme";
const project = `${acme}/projects/shop`;

async function put(server: TestServer, path: string, spec: object = {}) {
  return (await done(server.call("PUT", path, { body: { spec } }))).body;
}

async function act(server: TestServer, path: string, action: string, body: object = {}) {
  return (await done(server.call("POST", `${path}/actions/${action}`, { body }))).body;
}

const smtp = (secretRef: object) => ({ type: "smtp", host: "mail.example.com", password: { secretRef } });

async function resolved(server: TestServer, scope: string, spec: object) {
  const roots = await openRoots(server.database, [rootEnvironment(rootKey)]);
  const tools = { database: server.database, keys: openKeys(server.database, roots) };
  return resolveSecrets(tools, scope, spec as never) as Promise<unknown>;
}

test("values are set by key, kept as versions, rolled back to, and shown only by reveal", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db, { keys: { password: {} } });
  expect(await act(server, db, "set", { values: { password: "one", user: "shop" } })).toEqual({
    version: 1,
    keys: ["password", "user"],
  });
  await act(server, db, "set", { values: { password: "two" } });
  await act(server, db, "set", { values: { user: null } });
  await act(server, db, "set", { values: { token: "three" }, replace: true });
  expect(await act(server, db, "rollback", { version: 2 })).toEqual({
    version: 5,
    keys: ["password", "user"],
  });
  expect(await act(server, db, "reveal")).toEqual({ version: 5, values: { password: "two", user: "shop" } });
  expect(await act(server, db, "reveal", { version: 1, keys: ["password"] })).toEqual({
    version: 1,
    values: { password: "one" },
  });
  expect((await act(server, db, "reveal", { version: 3 })).values).toEqual({ password: "two" });
  expect((await act(server, db, "reveal", { version: 4 })).values).toEqual({ token: "three" });
  const { body } = await server.call("GET", db);
  expect(body.metadata.generation).toBe(1);
  expect(body.status).toMatchObject({
    version: 5,
    keys: ["password", "user"],
    versions: [
      { version: 5, from: 2, by: "user:ada" },
      { version: 4 },
      { version: 3 },
      { version: 2 },
      { version: 1 },
    ],
  });
});

test("applying a manifest leaves the values alone, and a manifest cannot hold any", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  await act(server, db, "set", { values: { password: "one" } });
  await put(server, db, { description: "from Git" });
  expect((await act(server, db, "reveal")).values).toEqual({ password: "one" });
  const answer = await server.call("PUT", db, { body: { spec: { values: { password: "two" } } } });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toEqual([{ pointer: "/spec/values", message: "unknown field" }]);
});

test("of many versions the newest twenty are kept", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  for (let count = 1; count <= 22; count++) await act(server, db, "set", { values: { n: String(count) } });
  const { body } = await server.call("GET", db);
  expect(body.status.versions.map((one: { version: number }) => one.version)).toEqual(
    [...Array(20)].map((_, index) => 22 - index),
  );
  expect((await act(server, db, "reveal", { version: 3 })).values).toEqual({ n: "3" });
  expect((await server.call("POST", `${db}/actions/reveal`, { body: { version: 2 } })).status).toBe(412);
  const [row] = await server.database.query<{ count: number }>(
    "select count(*) as count from secret_version",
  );
  expect(row?.count).toBe(20);
});

test("two who set values at the same moment do not undo each other", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  const sets = [...Array(8)].map((_, index) =>
    server.call("POST", `${db}/actions/set`, { body: { values: { [`k${index}`]: "x" } } }),
  );
  const answers = await Promise.all(sets);
  const taken = answers.flatMap(({ status }, index) => (status === 200 ? [`k${index}`] : []));
  expect(taken.length).toBeGreaterThan(0);
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(Object.keys((await act(server, db, "reveal")).values).sort()).toEqual(taken);
});

test("reveal and set leave an audit row that names the keys, and only an owner reveals", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  const editor = await newUser(server, "eve", [{ role: "editor", scope: "acme" }]);
  await done(editor.call("POST", `${db}/actions/set`, { body: { values: { password: "one" } } }));
  expect((await editor.call("POST", `${db}/actions/reveal`, { body: {} })).status).toBe(403);
  await act(server, db, "reveal");
  const rows = await server.database.query(
    "select subject, operation, outcome, detail from audit where kind = 'Secret' and operation in ('set', 'reveal') order by revision",
  );
  expect(rows).toEqual([
    {
      subject: "user:eve",
      operation: "set",
      outcome: "done",
      detail: { version: 1, keys: ["password"], set: ["password"] },
    },
    { subject: "user:eve", operation: "reveal", outcome: "denied", detail: { why: expect.anything() } },
    { subject: "user:ada", operation: "reveal", outcome: "done", detail: { version: 1, keys: ["password"] } },
  ]);
});

test("a reference must lead to a secret of the scope or above that serves it; the fault names the place", async () => {
  const server = await shop();
  const mail = `${project}/workspaces/prod/connections/mail`;
  const refusedAt = async (spec: object) => {
    const { status, body } = await server.call("PUT", mail, { body: { spec } });
    expect(status).toBe(422);
    return body.errors.map((one: { pointer: string }) => one.pointer);
  };
  expect(await refusedAt(smtp({ name: "mail", key: "password" }))).toEqual(["/spec/password/secretRef"]);
  expect(
    await refusedAt({
      type: "generic",
      values: { a: "${{ secrets.mail.user }}", b: "${{ secrets.mail.x }}" },
    }),
  ).toEqual(["/spec/values/a", "/spec/values/b"]);
  // A neighbour's, one of the installation, and one that serves others only are as good as none.
  await put(server, `${acme}/projects/blog/secrets/mail`);
  await put(server, "/secrets/mail");
  expect(await refusedAt(smtp({ name: "mail", key: "password" }))).toEqual(["/spec/password/secretRef"]);
  expect(await refusedAt(smtp({ name: "mail", key: "password", scope: "acme/blog" }))).toHaveLength(1);
  await put(server, `${acme}/secrets/mail`, { serves: ["acme/blog"] });
  expect(await refusedAt(smtp({ name: "mail", key: "password" }))).toHaveLength(1);
  await put(server, `${acme}/secrets/mail`, { serves: ["acme/blog", "acme/shop/prod"] });
  await put(server, mail, smtp({ name: "mail", key: "password" }));
  await put(server, "/secrets/mail", { serves: ["acme"] });
  await put(server, mail, smtp({ name: "mail", key: "password", scope: "" }));
  // Any kind, any text.
  const user = await server.call("PUT", "/users/bob", {
    body: { spec: { displayName: "${{ secrets.none.x }}" } },
  });
  expect(user.body.errors[0].pointer).toBe("/spec/displayName");
});

test("a secret serves nobody outside of its own scope", async () => {
  const server = await shop();
  const answer = await server.call("PUT", `${project}/secrets/db`, { body: { spec: { serves: ["acme"] } } });
  expect(answer.status).toBe(422);
  expect(answer.body.errors[0].pointer).toBe("/spec/serves/0");
});

test("an executor gets the spec with the values of the nearest secret, as they are now", async () => {
  const server = await shop();
  const spec = {
    url: "https://${{ secrets.db.host }}/",
    password: { secretRef: { name: "db", key: "password" } },
  };
  await put(server, `${acme}/secrets/db`);
  await act(server, `${acme}/secrets/db`, "set", { values: { host: "far", password: "outer" } });
  expect(await resolved(server, "acme/shop/prod", spec)).toEqual({ url: "https://far/", password: "outer" });
  await put(server, `${project}/secrets/db`);
  await expect(resolved(server, "acme/shop/prod", spec)).rejects.toThrow(
    "/spec/url: Secret acme/shop/db has no key host",
  );
  await act(server, `${project}/secrets/db`, "set", { values: { host: "near", password: "inner" } });
  expect(await resolved(server, "acme/shop/prod", spec)).toEqual({ url: "https://near/", password: "inner" });
  expect(await resolved(server, "acme/blog", spec)).toEqual({ url: "https://far/", password: "outer" });
  await put(server, `${project}/secrets/db`, { serves: ["acme/shop"] });
  await put(server, `${acme}/secrets/db`, { serves: ["acme/shop"] });
  await expect(resolved(server, "acme/blog", spec)).rejects.toThrow(
    "there is no Secret db in acme/blog or above",
  );
});

test("a value that was moved to another secret or version does not open", async () => {
  const server = await shop();
  for (const name of ["a", "b"]) {
    await put(server, `${project}/secrets/${name}`);
    await act(server, `${project}/secrets/${name}`, "set", { values: { x: name } });
  }
  await server.database.query(
    "update secret_version set sealed = (select sealed from secret_version v where v.secret_uid <> secret_version.secret_uid)",
  );
  const answer = await server.call("POST", `${project}/secrets/a/actions/reveal`, { body: {} });
  expect(answer.status).toBe(500);
});

test("who uses a secret is told, and a secret in use goes only by force", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  await put(server, `${project}/connections/one`, smtp({ name: "db", key: "password" }));
  await put(server, `${project}/workspaces/prod/connections/two`, {
    type: "generic",
    values: { a: "${{ secrets.db.a }}${{ secrets.db.a }}", b: "${{ secrets.db.b }}" },
  });
  const usedBy = async () =>
    (await server.call("GET", `${db}/why`)).body.usedBy.map(
      (use: { kind: string; scope: string; name: string; pointer: string }) =>
        `${use.kind} ${use.scope}/${use.name} ${use.pointer}`,
    );
  const one = "Connection acme/shop/one /spec/password/secretRef";
  const two = [
    "Connection acme/shop/prod/two /spec/values/a",
    "Connection acme/shop/prod/two /spec/values/b",
  ];
  expect(await usedBy()).toEqual([one, ...two]);
  for (const dryRun of ["", "?dryRun=true"]) {
    const { status, body } = await server.call("DELETE", db + dryRun);
    expect(status).toBe(412);
    expect(body.detail).toContain(
      "in use by Connection acme/shop/one (/spec/password/secretRef), Connection",
    );
  }
  // A nearer one takes the uses over; what changes or goes uses it no more.
  await put(server, `${project}/workspaces/prod/secrets/db`);
  expect(await usedBy()).toEqual([one]);
  await done(server.call("DELETE", `${project}/workspaces/prod/secrets/db?force=true`));
  expect(await usedBy()).toEqual([one, ...two]);
  await done(server.call("DELETE", `${project}/workspaces/prod/connections/two`));
  await put(server, `${project}/connections/one`, { type: "smtp", host: "mail.example.com" });
  expect(await usedBy()).toEqual([]);
  await put(server, `${project}/connections/one`, smtp({ name: "db", key: "password" }));
  expect((await server.call("DELETE", `${db}?force=true`)).status).toBe(200);
  const rows = await server.database.query(
    "select detail from audit where kind = 'Secret' and operation = 'delete' and scope = 'acme/shop'",
  );
  expect(rows).toMatchObject([{ detail: { force: true } }]);
});

test("a reference and the deletion of its secret that meet: one of them is refused", async () => {
  const server = await shop();
  for (let round = 0; round < 10; round++) {
    await put(server, `${project}/secrets/db`);
    const [applied, deleted] = await Promise.all([
      server.call("PUT", `${project}/connections/c${round}`, {
        body: { spec: smtp({ name: "db", key: "k" }) },
      }),
      server.call("DELETE", `${project}/secrets/db`),
    ]);
    expect([applied.status, deleted.status].toSorted(), `round ${round}`).toEqual(
      applied.status === 201 ? [201, 412] : [200, 422],
    );
    await server.call("DELETE", `${project}/connections/c${round}`);
  }
});

test("whoever may not read what uses a secret is told that there is something, not what", async () => {
  const server = await shop();
  const db = `${project}/secrets/db`;
  await put(server, db);
  await put(server, `${project}/connections/hidden`, smtp({ name: "db", key: "k" }));
  await put(server, `${acme}/roles/keeper`, { allows: ["secrets:read", "secrets:delete", "projects:read"] });
  const keeper = await newUser(server, "kim");
  const subject = { kind: "User", name: "kim" };
  await put(server, `${acme}/rolebindings/kim`, { role: "keeper", subject });
  expect((await keeper.call("GET", `${db}/why`)).body.usedBy).toEqual([]);
  const { status, body } = await keeper.call("DELETE", db);
  expect(status).toBe(412);
  expect(body.detail).toBe("Secret acme/shop/db is in use by what you may not read");
});

test("values of deleted secrets and uses by deleted resources are swept away", async () => {
  const server = await shop();
  await put(server, `${project}/secrets/db`);
  await act(server, `${project}/secrets/db`, "set", { values: { x: "y" } });
  await put(server, `${project}/connections/one`, smtp({ name: "db", key: "x" }));
  for (const path of ["connections/one", "secrets/db"])
    await done(server.call("DELETE", `${project}/${path}`));
  const { secretsRetention } = await import("@reeve/secrets/store");
  const gone = await Promise.all(secretsRetention.map((rule) => rule.prune(server.database, 100)));
  expect(gone).toEqual([1, 1]);
});

test("a step's body gets the values of secrets and connections in one pass, and says what logs must hide", async () => {
  const server = await shop();
  await put(server, `${acme}/secrets/db`);
  await act(server, `${acme}/secrets/db`, "set", {
    values: { password: "s3cret ${{ connections.db.host }}", key: "first line\nsecond line", user: "public" },
  });
  const password = { secretRef: { name: "db", key: "password" } };
  await put(server, `${acme}/connections/db`, {
    type: "postgres",
    host: "db.example.com",
    database: "shop",
    user: "shop",
    password,
  });
  const roots = await openRoots(server.database, [rootEnvironment(rootKey)]);
  const tools = { database: server.database, keys: openKeys(server.database, roots) };
  const body = {
    env: {
      URL: "postgres://${{ connections.db.user }}:${{ connections.db.password }}@${{connections.db.host}}:${{ connections.db.port }}",
      KEY: "${{ secrets.db.key }}",
    },
  };
  expect(await resolveForRun(tools, "acme/shop/prod", body)).toEqual({
    value: {
      env: {
        URL: "postgres://shop:s3cret ${{ connections.db.host }}@db.example.com:5432",
        KEY: "first line\nsecond line",
      },
    },
    hide: ["s3cret ${{ connections.db.host }}", "first line\nsecond line", "first line", "second line"],
  });
  await expect(resolveForRun(tools, "acme/shop", { a: "${{ connections.other.host }}" })).rejects.toThrow(
    "there is no Connection other in acme/shop or above",
  );
  const bad = await server.call("PUT", `${project}/connections/x`, {
    body: {
      spec: { type: "generic", values: { a: "${{ connections.db.nope }}", b: "${{ connections.db }}" } },
    },
  });
  expect(bad.status).toBe(422);
});
