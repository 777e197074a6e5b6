import { createHmac } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";
import { marker, newCanary, type Plant } from "./testing-canary.ts";
import { done, inScope } from "./testing-people.ts";
import { newSecret } from "./testing-plants-secrets.ts";
import { mailSink, webhookReceiver } from "./testing-receivers.ts";
import { seen } from "./testing-until.ts";

/** What others are told with, and what they tell with. */
export const toldPlants: readonly Plant[] = [
  { what: "channels: what signs, what is in an address, what signs in for mail", plant: plantChannels },
  { what: "webhooks of workflows: what requests are signed with", plant: plantWebhook },
];

const shop = inScope("acme/shop");

/** A mail server that knows no word, and repeats what it was told. */
async function repeatingServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 here\r\n");
    socket.on("data", (chunk) => {
      const line = chunk.toString().trim();
      socket.write(line.startsWith("EHLO") ? "250 AUTH PLAIN\r\n" : `535 do not know: ${line}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function plantChannels(server: TestServer) {
  const [key, path, word] = [newCanary(), newCanary(), newCanary()];
  const [hook, chat, sink] = [await webhookReceiver(), await webhookReceiver(), await mailSink()];
  chat.answer = 500;
  await newSecret(server, "channels", { key, path, word, url: `${chat.url}/${path}` });
  const ref = (name: string) => ({ secretRef: { name: "channels", key: name } });
  const mail = {
    ...{ type: "email", host: "127.0.0.1", tls: "never", user: "reeve", password: ref("word") },
    ...{ from: "reeve@example.com", to: ["ops@example.com"] },
  };
  const channels = {
    hook: { type: "webhook", url: hook.url, secret: ref("key") },
    chat: { type: "slack", url: ref("url") },
    nobody: { type: "slack", url: "http://127.0.0.1:1/${{ secrets.channels.path }}" },
    mail: { ...mail, port: sink.port },
    "mail-refused": { ...mail, port: await repeatingServer() },
  };
  for (const [name, spec] of Object.entries(channels)) {
    await done(server.call("PUT", `${shop}/channels/${name}`, { body: { spec } }));
    await done(server.call("POST", `${shop}/channels/${name}/actions/test`, { body: {} }));
  }
  const reasons = () =>
    Promise.all(
      Object.keys(channels).map(async (name) => {
        const { status } = (await server.call("GET", `${shop}/channels/${name}`)).body;
        return status.conditions?.[0]?.reason;
      }),
    );
  await seen(reasons, ["Delivered", "Failing", "Failing", "Delivered", "Failing"]);

  await done(
    server.call("PUT", `${shop}/workflows/loud`, {
      body: {
        spec: {
          steps: [{ name: "say", run: `echo "${marker} \${{ secrets.channels.word }}" >&2; exit 1` }],
          notify: [{ on: ["failed"], channel: "hook" }],
        },
      },
    }),
  );
  await done(server.call("POST", `${shop}/workflows/loud/actions/trigger`, { body: {} }));
  await seen(() => hook.received.length, 2, 120_000);
  expect(hook.received[1]?.body).toContain(marker);
  const received = [...hook.received, ...chat.received];
  return { secrets: [key, path, word], answers: [received, sink.mails] };
}

async function plantWebhook(server: TestServer) {
  const [key, wrong] = [newCanary(), newCanary()];
  await newSecret(server, "hooks", { key });
  const secret = { secretRef: { name: "hooks", key: "key" } };
  const spec = {
    inputs: { ref: {} },
    steps: [{ name: "nap", wait: "1s" }],
    webhooks: [{ name: "push", secret, signature: "github", inputs: { ref: "${{ hook.body.ref }}" } }],
  };
  await done(server.call("PUT", `${shop}/workflows/hooked`, { body: { spec } }));
  const body = { ref: marker };
  const post = (given: string, headers: Record<string, string>) =>
    server.call("POST", `/hooks/acme/shop/hooked/${given}`, { token: null, body, headers });
  const signed = (by: string) => ({
    "x-hub-signature-256": `sha256=${createHmac("sha256", by).update(JSON.stringify(body)).digest("hex")}`,
  });
  const answers = [
    await post("push", signed(key)),
    await post("push", signed(wrong)),
    await post("push", { "x-gitlab-token": key }),
    await post("nothing", { "x-gitlab-token": wrong }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401]);
  return { secrets: [key, wrong], answers: answers.map(({ body }) => body) };
}
