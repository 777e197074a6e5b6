import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";
const hooks = "/hooks/acme/shop/deploy";
const hex = (text: string, secret = "hush") => createHmac("sha256", secret).update(text).digest("hex");

function signed(body: object, seconds = Math.floor(Date.now() / 1000), secret = "hush") {
  return { "reeve-signature": `t=${seconds},v1=${hex(`${seconds}.${JSON.stringify(body)}`, secret)}` };
}

async function deploying(): Promise<TestServer> {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", `${shop}/secrets/hook`, { body: {} }));
  await done(server.call("POST", `${shop}/secrets/hook/actions/set`, { body: { values: { key: "hush" } } }));
  const secret = { secretRef: { name: "hook", key: "key" } };
  const spec = {
    inputs: { branch: { pattern: "[a-z/]+" }, agent: {} },
    steps: [{ name: "nap", wait: "1h" }],
    webhooks: [
      {
        name: "push",
        secret,
        when: "${{ hook.body.ref.startsWith('refs/heads/') }}",
        inputs: { branch: "${{ hook.body.ref }}", agent: "${{ hook.headers['user-agent'] }}" },
      },
      { name: "github", secret, signature: "github", inputs: { branch: "${{ hook.body.ref }}" } },
    ],
  };
  await done(server.call("PUT", `${shop}/workflows/deploy`, { body: { spec } }));
  return server;
}

const post = (server: TestServer, hook: string, body: object, headers: Record<string, string>) =>
  server.call("POST", `${hooks}/${hook}`, { token: null, body, headers });

test("a signed request begins one run with mapped inputs, and sent again hears the same run", async () => {
  const server = await deploying();
  const body = { ref: "refs/heads/main" };
  const headers = { ...signed(body), "user-agent": "test" };
  const first = await done(post(server, "push", body, headers));
  expect((await done(post(server, "push", body, headers))).body).toEqual(first.body);
  const runs = await server.database.query("select id, cause, by, inputs from run");
  expect(runs).toEqual([
    {
      id: first.body.run,
      cause: "webhook",
      by: "webhook:push",
      inputs: { branch: "refs/heads/main", agent: "test" },
    },
  ]);
  const audits = await server.database.query("select subject, detail from audit where operation = 'trigger'");
  expect(audits).toEqual([{ subject: "anonymous", detail: { webhook: "push", run: first.body.run } }]);
});

test("GitHub's format works, and a request that the condition lets pass begins nothing", async () => {
  const server = await deploying();
  const body = { ref: "refs/heads/main" };
  const github = { "x-hub-signature-256": `sha256=${hex(JSON.stringify(body))}` };
  expect((await done(post(server, "github", body, github))).body.run).toEqual(expect.any(String));
  const tag = { ref: "refs/tags/v1" };
  expect((await done(post(server, "push", tag, signed(tag)))).body).toEqual({ run: null });
  expect(await server.database.query("select 1 from run")).toHaveLength(1);
});

test("without a valid signature the answer does not tell whether there is such a webhook", async () => {
  const server = await deploying();
  const body = { ref: "refs/heads/main" };
  const answers = [
    await post(server, "push", body, {}),
    await post(server, "push", body, signed({ ref: "x" })),
    await post(server, "push", body, signed(body, undefined, "guess")),
    await post(server, "github", body, signed(body)),
    await post(server, "nothing", body, signed(body)),
    await server.call("POST", "/hooks/zq/zq/zq/zq/push", { token: null, body, headers: signed(body) }),
    await server.call("POST", "/hooks/zq/push", { token: null, body, headers: signed(body) }),
  ];
  const faces = answers.map(({ status, body: { requestId: _, ...rest } }) => JSON.stringify([status, rest]));
  expect(new Set(faces).size, faces.join("\n")).toBe(1);
  expect(answers[0]?.status).toBe(401);
  const old = await post(server, "push", body, signed(body, Math.floor(Date.now() / 1000) - 600));
  expect([old.status, old.body.detail]).toEqual([401, "the signature is too old, or of the future"]);
  expect(await server.database.query("select 1 from run")).toEqual([]);
});

test("who has signed hears what is wrong with the inputs, or that the workflow is paused; no input asks for a secret", async () => {
  const server = await deploying();
  const wrong = { ref: "refs/heads/MAIN" };
  const refused = await post(server, "push", wrong, signed(wrong));
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ pointer: "/inputs/branch", message: "must match [a-z/]+" }],
  ]);
  const sly = { ref: "refs/heads/${{ secrets.hook.key }}" };
  expect((await post(server, "push", sly, signed(sly))).body.detail).toContain(
    "reads as a reference to a secret",
  );
  await done(server.call("PATCH", `${shop}/workflows/deploy`, { body: { metadata: { paused: true } } }));
  const body = { ref: "refs/heads/main" };
  const paused = await post(server, "push", body, signed(body));
  expect([paused.status, paused.body.detail]).toEqual([412, "the workflow is paused; resume it first"]);
});

test("twenty of the same at once are one run", async () => {
  const server = await deploying();
  const body = { ref: "refs/heads/main" };
  const headers = signed(body);
  const answers = await Promise.all([...Array(20)].map(() => post(server, "push", body, headers)));
  expect(await server.database.query("select 1 from run")).toHaveLength(1);
  expect(new Set(answers.map(({ status, body: { run } }) => `${status} ${run}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
});
