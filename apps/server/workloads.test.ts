import { expect, test } from "vitest";
import { type Answer, type TestServer, testServer } from "./testing.ts";
import { type Issuer, testIssuer } from "./testing-issuer.ts";
import { behindProxy, bind, done, newProgram, newUser, personWith } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";

/** acme/shop trusts an issuer: its jobs of the main branch are the account `ci`, an editor there. */
async function start(spec: object = {}): Promise<{ server: TestServer; issuer: Issuer }> {
  const server = await testServer({ settings: behindProxy });
  const issuer = await testIssuer();
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", "/organizations/acme/projects/blog", { body: {} }));
  await done(server.call("PUT", `${shop}/serviceaccounts/ci`, { body: {} }));
  const subject = { kind: "ServiceAccount", name: "ci", scope: "acme/shop" };
  await bind(server, { role: "editor", scope: "acme" }, subject);
  await done(server.call("PUT", `${shop}/trustedissuers/ci`, { body: { spec: trusting(issuer, spec) } }));
  return { server, issuer };
}

function trusting(issuer: Issuer, spec: object = {}) {
  const rules = [{ claims: { ref: ["main", "release"] }, serviceAccount: { name: "ci" } }];
  return { issuer: issuer.url, audience: "reeve", rules, ...spec };
}

function exchange(server: TestServer, token: string, audience = "acme/shop/ci"): Promise<Answer> {
  const body = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    subject_token: token,
    audience,
  };
  return server.call("POST", "/tokens/exchange", { token: null, body });
}

test("a job that a trusted issuer vouches for acts as the account its rule names, for a short while", async () => {
  const { server, issuer } = await start({ tokenMinutes: 5 });
  const { status, body } = await exchange(server, await issuer.sign({ ref: "release" }));
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 300 } });
  expect(body.access_token).toMatch(/^reeve_w_/);
  const job = personWith(server, "job", body.access_token);
  expect((await job.call("GET", "/whoami")).body).toMatchObject({
    subject: { kind: "ServiceAccount", scope: "acme/shop", name: "ci" },
    via: { kind: "token", narrowed: { within: "acme/shop" } },
    grants: [{ scope: "acme/shop", role: "editor" }],
  });
  expect((await job.call("PUT", `${shop}/workspaces/prod`, { body: {} })).status).toBe(201);
  const rows = await server.database.query(
    "select subject, outcome, detail from audit where operation = 'exchange'",
  );
  expect(rows).toEqual([
    {
      subject: "serviceaccount:acme/shop/ci",
      outcome: "done",
      detail: { workload: "repo:acme/shop", account: "ci" },
    },
  ]);
  await server.database.query("update workload_token set expires_at = now() - interval '1 second'");
  const fresh = await testServer({ share: server });
  expect((await fresh.call("GET", "/whoami", { token: job.token })).status).toBe(401);
});

test("its token reaches nothing outside the scope that trusts the issuer, whatever the account may do elsewhere", async () => {
  const { server, issuer } = await start();
  const subject = { kind: "ServiceAccount", name: "ci", scope: "acme/shop" };
  await bind(server, { role: "owner", scope: "acme" }, subject);
  const { body } = await exchange(server, await issuer.sign({ ref: "main" }));
  const job = personWith(server, "job", body.access_token);
  expect((await job.call("GET", "/organizations/acme/projects/blog")).status).toBe(404);
  expect((await job.call("PUT", "/organizations/acme/projects/blog/workspaces/w", { body: {} })).status).toBe(
    404,
  );
  // Nor can it get itself a token that would.
  const spec = { subject: { kind: "ServiceAccount", name: "ci" } };
  await done(job.call("PUT", `${shop}/tokens/mine`, { body: { spec } }));
  const issued = await job.call("POST", `${shop}/tokens/mine/actions/issue`, { body: {} });
  expect({ status: issued.status, detail: issued.body.detail }).toMatchObject({
    status: 403,
    detail: expect.stringContaining("you cannot act as it"),
  });
});

test("only who could do everything in a scope lets an issuer in there, and only to accounts there or below", async () => {
  const { server, issuer } = await start();
  const path = `${shop}/trustedissuers/new`;
  const editor = await newProgram(server, "acme", "editor", [{ role: "editor", scope: "acme" }]);
  expect((await editor.call("PUT", path, { body: { spec: trusting(issuer) } })).status).toBe(403);
  const owner = await newUser(server, "olga", [{ role: "owner", scope: "acme/shop" }]);
  expect((await owner.call("PUT", path, { body: { spec: trusting(issuer) } })).status).toBe(201);
  const outside = [{ claims: { ref: "main" }, serviceAccount: { name: "editor", scope: "acme" } }];
  const answer = await owner.call("PUT", path, { body: { spec: trusting(issuer, { rules: outside }) } });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/spec/rules/0/serviceAccount/scope" }] },
  });
  const anything = [{ claims: {}, serviceAccount: { name: "ci" } }];
  const open = await owner.call("PUT", path, { body: { spec: trusting(issuer, { rules: anything }) } });
  expect(open).toMatchObject({ status: 422, body: { errors: [{ pointer: "/spec/rules/0/claims" }] } });
});

test("changing or deleting the trusted issuer, disabling the account or ending the token stops it at once", async () => {
  const { server, issuer } = await start();
  const enter = async () => {
    const { body } = await done(exchange(server, await issuer.sign({ ref: "main" })));
    const job = personWith(server, "job", body.access_token);
    await done(job.call("GET", "/whoami"));
    return job;
  };
  const changed = await enter();
  const rules = [{ claims: { ref: "main" }, serviceAccount: { name: "ci" } }];
  await done(
    server.call("PUT", `${shop}/trustedissuers/ci`, { body: { spec: trusting(issuer, { rules }) } }),
  );
  expect((await changed.call("GET", "/whoami")).status).toBe(401);

  const ended = await enter();
  const { items } = (await server.call("GET", "/workload-tokens")).body;
  expect(items).toMatchObject([
    { account: "ci", issuer: "ci", workload: "repo:acme/shop", lastUsedAt: expect.any(String) },
  ]);
  const stranger = await newUser(server, "eve", [{ role: "owner", scope: "acme/blog" }]);
  expect((await stranger.call("GET", "/workload-tokens")).body.items).toEqual([]);
  expect((await stranger.call("DELETE", `/workload-tokens/${items[0].id}`)).status).toBe(404);
  expect((await ended.call("GET", "/whoami")).status).toBe(200);
  await done(server.call("DELETE", `/workload-tokens/${items[0].id}`));
  expect((await ended.call("GET", "/whoami")).status).toBe(401);
  const { body } = await server.call("GET", "/audit?kind=WorkloadToken&operation=delete");
  expect(body.items).toMatchObject([
    { outcome: "done", subject: "user:ada", scope: "acme/shop", name: items[0].id },
    { outcome: "denied", subject: "user:eve", scope: "", name: items[0].id },
  ]);

  const disabled = await enter();
  await done(server.call("PUT", `${shop}/serviceaccounts/ci`, { body: { spec: { disabled: true } } }));
  expect((await disabled.call("GET", "/whoami")).status).toBe(401);
  expect((await exchange(server, await issuer.sign({ ref: "main" }))).status).toBe(401);
  await done(server.call("PUT", `${shop}/serviceaccounts/ci`, { body: { spec: {} } }));

  const deleted = await enter();
  await done(server.call("DELETE", `${shop}/trustedissuers/ci`));
  expect((await deleted.call("GET", "/whoami")).status).toBe(401);
  expect((await exchange(server, await issuer.sign({ ref: "main" }))).status).toBe(401);
});

test("the use of a token is noted, and a busy token is not noted again and again", async () => {
  const server = await testServer();
  const program = await newProgram(server, "acme", "ci");
  const read = async () => (await server.call("GET", "/organizations/acme/tokens/ci")).body;
  expect((await read()).status.lastUsedAt).toBeUndefined();
  await program.call("GET", "/whoami");
  await expect.poll(async () => (await read()).status.lastUsedAt).toBeTypeOf("string");
  const noted = (await read()).metadata.revision;
  const second = await testServer({ share: server });
  for (let times = 0; times < 3; times++) await done(second.call("GET", "/whoami", { token: program.token }));
  // A change of something else passes the same lane: what was to be noted would have been by now.
  await done(second.call("PUT", "/organizations/acme", { body: { spec: { description: "later" } } }));
  expect((await read()).metadata.revision).toBe(noted);
});
