import { createHmac } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { selfSigned } from "@reeve/control";
import { joinAgent, testRuns } from "@reeve/runs/testing";
import { expect, onTestFinished, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { mailSink, silentReceiver, webhookReceiver } from "./testing-receivers.ts";
import { seen } from "./testing-until.ts";

const loopback = { REEVE_NOTIFY_NETWORKS: "127.0.0.0/8" };

function put(server: TestServer, path: string, kind: string, spec: object) {
  const name = path.split("/").at(-1);
  return server.call("PUT", path, {
    body: { apiVersion: "reeve/v1", kind, metadata: { scope: path.split("/")[2], name }, spec },
  });
}

async function webhookChannel(server: TestServer, name: string, url: string): Promise<void> {
  await put(server, "/organizations/acme/secrets/hook", "Secret", {});
  await server.call("POST", "/organizations/acme/secrets/hook/actions/set", {
    body: { values: { key: "the signing key, long enough" } },
  });
  const made = await put(server, `/organizations/acme/channels/${name}`, "Channel", {
    type: "webhook",
    url,
    secret: { secretRef: { name: "hook", key: "key" } },
  });
  expect(made.status).toBe(201);
}

/** An agent at which every step fails. Its engine only links it: what follows from an end is the server's to do. */
async function failingAgent({ database }: TestServer, why: string): Promise<void> {
  const engine = testRuns(database, { works: false });
  onTestFinished(() => engine.stop());
  await joinAgent(database, engine, () => ({ outcome: "failed", exitCode: 7, why }), {
    executors: ["shell"],
  });
}

test("a failed run is told once to each channel that asked, by signed webhook and by mail", async () => {
  const server = await testServer({ settings: loopback });
  const hook = await webhookReceiver();
  const sink = await mailSink();
  await webhookChannel(server, "hook", hook.url);
  await put(server, "/organizations/acme/channels/mail", "Channel", {
    type: "email",
    host: "127.0.0.1",
    port: sink.port,
    tls: "never",
    from: "reeve@example.com",
    to: ["ops@example.com"],
  });
  await put(server, "/organizations/acme/workflows/etl", "Workflow", {
    steps: ["load", "sum", "keep", "send", "tell"].map((name) => ({ name, needs: [], run: "./it" })),
    notify: [
      { on: ["failed", "cancelled"], channel: "hook" },
      { on: ["failed"], channel: "mail" },
      { on: ["succeeded"], channel: "hook" },
    ],
  });
  await failingAgent(server, "exit code 7");
  const { run } = (
    await server.call("POST", "/organizations/acme/workflows/etl/actions/trigger", { body: {} })
  ).body;
  await seen(() => [hook.received.length, sink.mails.length], [1, 1]);
  const [got] = hook.received;
  const body = JSON.parse(got?.body ?? "");
  expect(body).toMatchObject({
    type: "reeve.failed",
    title: "acme: etl failed",
    about: { kind: "Workflow", scope: "acme", name: "etl", run },
    link: `${server.url}/runs/${run}`,
  });
  expect(body.text.split("\n")).toEqual([
    "load: exit code 7",
    "sum: exit code 7",
    "keep: exit code 7",
    "and 2 more",
    `reeve logs ${run.slice(-12)}`,
  ]);
  const [id, at] = [got?.headers["webhook-id"], got?.headers["webhook-timestamp"]];
  expect(id).toBe(body.id);
  const signature = createHmac("sha256", "the signing key, long enough")
    .update(`${id}.${at}.${got?.body}`)
    .digest("base64");
  expect(got?.headers["webhook-signature"]).toBe(`v1,${signature}`);
  expect(sink.mails[0]?.to).toEqual(["ops@example.com"]);
  expect(sink.mails[0]?.text).toContain("Subject: [reeve] acme: etl failed");
  expect(sink.mails[0]?.text).toContain("load: exit code 7");
});

test("a channel that fails is tried again, shows its trouble without its secrets, and what was given up is tried again when asked", async () => {
  const server = await testServer({ settings: loopback });
  const hook = await webhookReceiver();
  hook.answer = 500;
  await webhookChannel(server, "hook", hook.url);
  const { notification } = (
    await server.call("POST", "/organizations/acme/channels/hook/actions/test", { body: {} })
  ).body;
  const channel = async () => (await server.call("GET", "/organizations/acme/channels/hook")).body.status;
  await seen(async () => (await channel()).conditions?.[0]?.reason, "Failing");
  expect((await channel()).conditions[0].message).toBe("1 waiting for another try: 127.0.0.1 answered 500");
  // As if it had been tried for a day.
  await server.database.query("update notification set tries = 14, due_at = now()");
  await seen(async () => (await channel()).dead, 1);
  expect((await channel()).conditions[0].message).toContain("retry");
  hook.answer = 200;
  await server.call("POST", "/organizations/acme/channels/hook/actions/retry", { body: {} });
  await seen(async () => (await channel()).conditions[0].reason, "Delivered");
  expect(await channel()).toMatchObject({ dead: 0, waiting: 0 });
  // Every try carried the same id.
  expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([notification]));
});

function mailChannel(server: TestServer, port: number) {
  return put(server, "/organizations/acme/channels/mail", "Channel", {
    type: "email",
    host: "localhost",
    port,
    user: "reeve",
    password: { secretRef: { name: "hook", key: "key" } },
    from: "reeve@example.com",
    to: ["ops@example.com"],
  });
}

test("mail is handed over after STARTTLS and a login, and without STARTTLS not even the password is told", async () => {
  const certificate = selfSigned("localhost", ["localhost"], 1);
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, certificate.cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const server = await testServer({ settings: loopback });
  await webhookChannel(server, "hook", "https://chat.example/hook");
  const sink = await mailSink(certificate);
  expect((await mailChannel(server, sink.port)).status).toBe(201);
  const test = () => server.call("POST", "/organizations/acme/channels/mail/actions/test", { body: {} });
  await test();
  await seen(() => sink.mails.length, 1);
  expect(sink.logins).toEqual([{ as: "reeve the signing key, long enough", encrypted: true }]);

  const open = await mailSink();
  await mailChannel(server, open.port);
  await test();
  const status = async () => (await server.call("GET", "/organizations/acme/channels/mail")).body.status;
  await seen(async () => (await status()).conditions?.[0]?.reason, "Failing");
  expect((await status()).conditions[0].message).toMatch(/TLS/);
  expect(JSON.stringify(await status())).not.toContain("the signing key");
  expect([open.logins, open.mails]).toEqual([[], []]);
});

test("a chat room gets one text in the form that Slack takes, at an address that is a secret", async () => {
  const server = await testServer({ settings: loopback });
  const room = await webhookReceiver();
  await put(server, "/organizations/acme/secrets/chat", "Secret", {});
  await server.call("POST", "/organizations/acme/secrets/chat/actions/set", {
    body: { values: { webhook: `${room.url}/T0/very-secret` } },
  });
  const made = await put(server, "/organizations/acme/channels/room", "Channel", {
    type: "slack",
    url: "${{ secrets.chat.webhook }}",
  });
  expect(made.status).toBe(201);
  const test = () => server.call("POST", "/organizations/acme/channels/room/actions/test", { body: {} });
  await test();
  await seen(() => room.received.length, 1);
  expect(JSON.parse(room.received[0]?.body ?? "")).toEqual({
    text: "A test of the channel room\nIf you can read this, notifications arrive.",
  });
  room.answer = 403;
  await test();
  const channel = async () => (await server.call("GET", "/organizations/acme/channels/room")).body;
  await seen(async () => (await channel()).status.conditions?.[0]?.reason, "Failing");
  expect(JSON.stringify(await channel())).not.toContain("very-secret");
});

test("a channel reaches no private network unless the server's configuration says so", async () => {
  const server = await testServer();
  const hook = await webhookReceiver();
  await webhookChannel(server, "hook", hook.url.replace("127.0.0.1", "localhost"));
  await server.call("POST", "/organizations/acme/channels/hook/actions/test", { body: {} });
  const status = async () => (await server.call("GET", "/organizations/acme/channels/hook")).body.status;
  await seen(async () => (await status()).conditions?.[0]?.message.includes("REEVE_NOTIFY_NETWORKS"), true);
  expect(hook.received).toEqual([]);
});

/** So many that wait for a channel since long ago, each in a scope of its own. */
function waiting({ database }: TestServer, channel: string, count: number): Promise<unknown> {
  const message = { event: "failed", title: "it failed", text: "", about: {} };
  return database.query(
    `insert into notification (id, scope, channel, message, state, due_at)
     select gen_random_uuid(), 'acme/p' || (n % 20), $1, $2::jsonb, 'waiting', now() - interval '1 hour'
     from generate_series(1, $3::int) as n`,
    [channel, JSON.stringify(message), count],
  );
}

test("channels that never answer keep no other waiting: it has the first place that becomes free", async () => {
  const server = await testServer({ settings: loopback });
  const dead = await Promise.all(["d1", "d2", "d3", "d4", "d5"].map(() => silentReceiver()));
  for (const [at, { url }] of dead.entries()) await webhookChannel(server, `dead-${at}`, url);
  const hook = await webhookReceiver();
  await webhookChannel(server, "good", hook.url);
  const open = () => dead.map((one) => one.open.size);
  // One of them takes its part of the room, and no more.
  await waiting(server, "dead-0", 300);
  await seen(() => open()[0], 4);
  await server.call("POST", "/organizations/acme/channels/good/actions/test", { body: {} });
  await seen(() => hook.received.length, 1);
  expect(open()[0]).toBeLessThanOrEqual(4);
  // Together they take all of it.
  for (const at of [1, 2, 3, 4]) await waiting(server, `dead-${at}`, 300);
  await seen(() => open().reduce((sum, count) => sum + count, 0), 16);
  await server.call("POST", "/organizations/acme/channels/good/actions/test", { body: {} });
  dead[1]?.letGo();
  await seen(() => hook.received.length, 2);
  expect(Math.max(...open())).toBeLessThanOrEqual(4);
});

test("two replicas share what waits, and send each of it once", async () => {
  const server = await testServer({ settings: loopback });
  await testServer({ share: server, settings: loopback });
  const hook = await webhookReceiver();
  await webhookChannel(server, "good", hook.url);
  await waiting(server, "good", 100);
  const left = () => server.database.query("select 1 from notification where state <> 'delivered'");
  await seen(left, []);
  const ids = hook.received.map(({ headers }) => headers["webhook-id"]);
  expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
});

test("a run that misses its SLA is late while it runs: told once, and written down with the run and the workflow", async () => {
  const server = await testServer({ settings: loopback });
  await testServer({ share: server, settings: loopback });
  const hook = await webhookReceiver();
  await webhookChannel(server, "hook", hook.url);
  await put(server, "/organizations/acme/workflows/slow", "Workflow", {
    steps: [{ name: "ask", approve: { text: "really?" } }],
    sla: { finishWithin: "1s" },
    notify: [{ on: ["late"], channel: "hook" }],
  });
  const { run } = (
    await server.call("POST", "/organizations/acme/workflows/slow/actions/trigger", { body: {} })
  ).body;
  await seen(() => hook.received.length, 1);
  expect(JSON.parse(hook.received[0]?.body ?? "")).toMatchObject({
    type: "reeve.late",
    text: expect.stringContaining("it had not ended within 1s"),
  });
  const { items } = (await server.call("GET", `/runs/${run}/events`)).body;
  expect(items.filter((event: { reason: string }) => event.reason === "Late").length).toBe(1);
  const events = (await server.call("GET", "/organizations/acme/workflows/slow/events")).body.items;
  expect(events.map((event: { reason: string }) => event.reason)).toContain("Late");
});

test("a run that ends in time leaves no promise behind", async () => {
  const server = await testServer();
  await put(server, "/organizations/acme/workflows/quick", "Workflow", {
    steps: [{ name: "ask", approve: { text: "really?" } }],
    sla: { finishWithin: "1h", startWithin: "1h" },
  });
  const { run } = (
    await server.call("POST", "/organizations/acme/workflows/quick/actions/trigger", { body: {} })
  ).body;
  const promises = async () => (await server.database.query("select 1 as one from run_promise")).length;
  expect(await promises()).toBe(2);
  await server.call("POST", `/runs/${run}/cancel`, { body: {} });
  await seen(promises, 0);
});

test("a workflow names channels that are there, and a channel that workflows name is not deleted", async () => {
  const server = await testServer();
  const url = "https://chat.example/hook";
  const workflow = (notify: object[]) =>
    put(server, "/organizations/acme/workflows/etl", "Workflow", {
      steps: [{ name: "hello", run: "true" }],
      notify,
    });
  const refused = await workflow([{ on: ["failed"], channel: "ops" }]);
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual([
    { pointer: "/spec/notify/0/channel", message: "there is no Channel ops in acme or above" },
  ]);
  expect(refused.body.next).toContain("make the channel first");

  // One of the scope above will do; the nearest is the one that is used.
  await server.call("PUT", "/channels/ops", { body: { spec: { type: "slack", url } } });
  expect((await workflow([{ on: ["failed"], channel: "ops" }])).status).toBe(201);
  const kept = await server.call("DELETE", "/channels/ops");
  expect(kept.status).toBe(412);
  expect(kept.body.detail).toContain("Workflow acme/etl (/spec/notify/0/channel)");
  await put(server, "/organizations/acme/channels/ops", "Channel", { type: "slack", url });
  expect((await server.call("DELETE", "/channels/ops")).status).toBeLessThan(300);
  expect((await server.call("DELETE", "/organizations/acme/channels/ops")).status).toBe(412);
  await workflow([]);
  expect((await server.call("DELETE", "/organizations/acme/channels/ops")).status).toBeLessThan(300);
});
