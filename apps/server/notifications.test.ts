import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { mailSink, webhookReceiver } from "./testing-receivers.ts";
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
    steps: [{ name: "ask", approve: { text: "really?" } }],
    notify: [
      { on: ["failed", "cancelled"], channel: "hook" },
      { on: ["cancelled"], channel: "mail" },
      { on: ["succeeded"], channel: "hook" },
    ],
  });
  const { run } = (
    await server.call("POST", "/organizations/acme/workflows/etl/actions/trigger", { body: {} })
  ).body;
  expect((await server.call("POST", `/runs/${run}/cancel`, { body: { why: "a test" } })).status).toBe(200);
  await seen(() => [hook.received.length, sink.mails.length], [1, 1]);
  const [got] = hook.received;
  const body = JSON.parse(got?.body ?? "");
  expect(body).toMatchObject({
    type: "reeve.cancelled",
    title: "acme: etl was cancelled",
    about: { kind: "Workflow", scope: "acme", name: "etl", run },
    link: `${server.url}/runs/${run}`,
  });
  const [id, at] = [got?.headers["webhook-id"], got?.headers["webhook-timestamp"]];
  expect(id).toBe(body.id);
  const signature = createHmac("sha256", "the signing key, long enough")
    .update(`${id}.${at}.${got?.body}`)
    .digest("base64");
  expect(got?.headers["webhook-signature"]).toBe(`v1,${signature}`);
  expect(sink.mails[0]?.to).toEqual(["ops@example.com"]);
  expect(sink.mails[0]?.text).toContain("Subject: [reeve] acme: etl was cancelled");
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

test("a channel reaches no private network unless the server's configuration says so", async () => {
  const server = await testServer();
  const hook = await webhookReceiver();
  await webhookChannel(server, "hook", hook.url.replace("127.0.0.1", "localhost"));
  await server.call("POST", "/organizations/acme/channels/hook/actions/test", { body: {} });
  const status = async () => (await server.call("GET", "/organizations/acme/channels/hook")).body.status;
  await seen(async () => (await status()).conditions?.[0]?.message.includes("REEVE_NOTIFY_NETWORKS"), true);
  expect(hook.received).toEqual([]);
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
