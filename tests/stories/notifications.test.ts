import { afterAll, beforeAll, expect, test } from "vitest";
import { mailSink, webhookReceiver } from "../../apps/server/testing-receivers.ts";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** How runs ended, told to people where they are. */
const bench = openBench(afterAll);
const key = { secretRef: { name: "hook", key: "key" } };
let shop: Shop;

beforeAll(async () => {
  shop = await openShop(bench, { REEVE_NOTIFY_NETWORKS: "127.0.0.0/8" });
  await shop.done(["secret", "set", "hook", "key=the signing key, long enough", "--scope", "acme"]);
});

async function channel(name: string, spec: object): Promise<void> {
  const metadata = { scope: "acme", name };
  shop.write(`${name}.yaml`, JSON.stringify({ apiVersion: "reeve/v1", kind: "Channel", metadata, spec }));
  await shop.done(["apply", "-f", `${name}.yaml`]);
}

test("a failure goes to a webhook, a chat and a mailbox, with what failed and where to look; a late run while it still runs", async () => {
  const [hook, chat, mail] = [await webhookReceiver(), await webhookReceiver(), await mailSink()];
  await channel("hook", { type: "webhook", url: hook.url, secret: key });
  await channel("chat", { type: "slack", url: chat.url });
  const post = { host: "127.0.0.1", port: mail.port, tls: "never", from: "reeve@example.com" };
  await channel("mail", { type: "email", ...post, to: ["ops@example.com"] });
  await shop.done(["act", "channel/hook", "test", "--scope", "acme"]);
  await until("the test", () => hook.received.length === 1);

  await shop.done(["secret", "set", "token", "value=nobody may read this"]);
  await shop.workflow("check", {
    steps: [
      {
        name: "look",
        env: { HIDDEN: "${{ secrets.token.value }}" },
        run: 'for n in 1 2 3 4 5 6; do echo "line $n"; done; echo "it was $HIDDEN"; exit 7',
      },
    ],
    notify: ["hook", "chat", "mail"].map((name) => ({ on: ["failed"], channel: name })),
  });
  const id = await shop.begin("check");
  await shop.ended(id);
  await until(
    "all to be told",
    () => hook.received.length === 2 && chat.received.length === 1 && mail.mails.length === 1,
  );
  expect(JSON.parse(hook.received[1]?.body ?? "")).toMatchObject({
    type: "reeve.failed",
    about: { kind: "Workflow", scope: "acme/shop", name: "check", run: id },
  });
  const { text } = JSON.parse(chat.received[0]?.body ?? "") as { text: string };
  expect(text).toContain("look");
  expect(text).toContain("exit code 7");
  expect(text).toContain("| line 3\n  | line 4\n  | line 5\n  | line 6\n  | it was ***");
  expect(text).not.toContain("line 2");
  expect(hook.received[1]?.body).toContain("| line 6");
  expect(hook.received[1]?.body).not.toContain("nobody may read this");
  expect(text).toContain(`reeve logs ${id.slice(-12)}`);
  expect(mail.mails[0]).toMatchObject({ to: ["ops@example.com"], text: expect.stringContaining("check") });

  await shop.workflow("slow", {
    steps: [{ name: "crawl", run: "sleep 600" }],
    sla: { finishWithin: "1s" },
    notify: [{ on: ["late"], channel: "hook" }],
  });
  const slow = await shop.begin("slow");
  await until("the lateness", () => hook.received.length === 3);
  expect(JSON.parse(hook.received[2]?.body ?? "")).toMatchObject({
    type: "reeve.late",
    about: { run: slow },
  });
  expect((await shop.run(slow)).state).toBe("running");
  await shop.done(["cancel", slow.slice(-8)]);
  await shop.ended(slow);
  expect(hook.received).toHaveLength(3);
});

test("a channel that nobody answers at says so, and what to do", async () => {
  await channel("dead", { type: "webhook", url: "http://127.0.0.1:9/", secret: key });
  await shop.done(["act", "channel/dead", "test", "--scope", "acme"]);
  await until("the trouble", async () =>
    /refused|ECONNREFUSED/.test(await shop.done(["describe", "channel/dead", "--scope", "acme"])),
  );
  expect(await shop.done(["get", "channels", "--scope", "acme"])).toMatch(/dead/);
});
