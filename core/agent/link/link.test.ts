import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { Farewell_Reason } from "@reeve/protocol/agent";
import { expect, onTestFinished, test, vi } from "vitest";
import { hostFacts } from "../facts.ts";
import { answerAll, streamAt, type TestControlPlane, testControlPlane } from "../testing.ts";
import { type EnrolOptions, enrol } from "./enrol.ts";
import { halfLife, type Identity } from "./identity.ts";
import { type Link, openLink } from "./link.ts";

function joining(plane: TestControlPlane, more: Partial<EnrolOptions> = {}): Promise<Identity> {
  const facts = hostFacts("1.2.3", ["noop"]);
  return enrol({
    urls: [plane.url],
    token: plane.token,
    name: "web-1",
    labels: { zone: "a" },
    facts,
    ...more,
  });
}

function linked(identity: Identity, kept: Identity[] = []): Link {
  const link = openLink({
    identity,
    keep: async (one) => void kept.push(one),
    facts: hostFacts("1.2.3", ["noop"]),
    slots: 8,
    log: () => {},
    ear: {
      inventory: () => [{ run: "r", seq: 1, epoch: 2 }],
      freeSlots: () => 7,
      status: () => ({ load: 0.5 }),
      welcome: () => {},
      offers: () => {},
      verdicts: () => {},
      stops: () => {},
      dial: () => {},
      usageHeard: () => {},
    },
  });
  onTestFinished(() => link.stop());
  return link;
}

test("an agent joins with its own key, and shows the certificate it got for it", async () => {
  const plane = await testControlPlane();
  const identity = await joining(plane);
  expect(identity).toMatchObject({ uid: "h1", name: "web-1", generation: 1, proof: { by: "certificate" } });
  expect(plane.enrolled).toMatchObject([
    { name: "web-1", labels: { zone: "a" }, facts: { agentVersion: "1.2.3" } },
  ]);
  linked(identity);
  const stream = await streamAt(plane, 0);
  expect(stream.fingerprint).toBeDefined();
  expect(stream.heard[0]).toMatchObject({
    case: "hello",
    value: { slots: 8, inventory: [{ run: "r", seq: 1, epoch: 2 }] },
  });
});

test("a server of another authority never hears the token", async () => {
  const plane = await testControlPlane();
  const other = await testControlPlane();
  await expect(joining(other, { token: plane.token })).rejects.toThrow("another pin");
  expect(other.enrolled).toEqual([]);
  await expect(joining(plane, { token: "rjt_x" })).rejects.toThrow("not a join token");
  await expect(joining(plane, { urls: ["http://127.0.0.1:1"] })).rejects.toThrow("https://");
});

test("once joined, an agent talks to no server of another authority, whatever address it has", async () => {
  const plane = await testControlPlane();
  const other = await testControlPlane();
  const link = linked({ ...(await joining(plane)), urls: [other.url, plane.url] });
  await expect.poll(() => link.connected).toBe(true);
  expect(other.streams).toEqual([]);
});

test("behind a proxy that ends TLS an agent shows a bearer token instead", async () => {
  const plane = await testControlPlane();
  await expect(joining(plane, { bearer: {} })).rejects.toThrow(/certificate/);
  const ca = readFileSync(join(plane.folder, "ca.pem"), "utf8");
  const identity = await joining(plane, { bearer: { ca } });
  expect(identity.proof).toEqual({ by: "bearer", bearer: "bearer-1", ca });
  linked(identity);
  expect(await streamAt(plane, 0)).toMatchObject({ bearer: "Bearer bearer-1", fingerprint: undefined });
});

test("beats go on by themselves and carry the lease on from when they were sent", async () => {
  const plane = await testControlPlane();
  plane.beatMs = 200;
  const link = linked(await joining(plane));
  expect(link.leaseLeftMs()).toBeLessThan(0);
  const stream = await streamAt(plane, 0);
  await expect.poll(() => stream.heard.filter((one) => one.case === "beat").length).toBeGreaterThan(3);
  expect(stream.heard.find((one) => one.case === "beat")).toMatchObject({
    value: { number: 1n, freeSlots: 7, status: { load: 0.5 } },
  });
  expect(link.leaseLeftMs()).toBeGreaterThan(25_000);
  expect(link.leaseLeftMs()).toBeLessThanOrEqual(30_000);
});

test("work that waits to be sent does not delay a beat", async () => {
  const plane = await testControlPlane();
  plane.beatMs = 500;
  const link = linked(await joining(plane));
  const stream = await streamAt(plane, 0);
  await expect.poll(() => link.connected).toBe(true);
  const endless = setInterval(() => {
    for (let more = 0; more < 100; more++)
      link.finish([{ attempt: { run: "r", seq: more, epoch: 1 }, why: "x".repeat(10_000) }]);
  });
  const before = stream.heard.filter((one) => one.case === "beat").length;
  await expect
    .poll(() => stream.heard.filter((one) => one.case === "beat").length)
    .toBeGreaterThan(before + 3);
  clearInterval(endless);
});

test.each([Code.Unauthenticated, Code.NotFound, Code.PermissionDenied])(
  "an identity that is gone (%d) ends the link, it does not knock for ever",
  async (code) => {
    const plane = await testControlPlane();
    const identity = await joining(plane);
    plane.refuse = code;
    expect(await linked(identity).ended).toEqual({ reason: "revoked", why: "this agent was revoked" });
    await expect.poll(() => plane.connections).toBe(0);
  },
);

test("an identity that a restore has made unknown is renewed, and only who may not do that either ends", async () => {
  const plane = await testControlPlane();
  const kept: Identity[] = [];
  const link = linked(await joining(plane), kept);
  const before = await streamAt(plane, 0);
  plane.refuseUntilRenewed = Code.Unauthenticated;
  before.cut();
  const after = await streamAt(plane, 1);
  expect(kept).toMatchObject([{ generation: 2 }]);
  expect(after.fingerprint).not.toBe(before.fingerprint);
  plane.refuse = Code.Unauthenticated;
  after.cut();
  expect(await link.ended).toEqual({ reason: "revoked", why: "this agent was revoked" });
  expect(kept).toHaveLength(1);
});

test.each([401, 403, 404])(
  "a proxy that answers %d for a while ends no agent: neither one that connects nor one that renews or fetches",
  async (status) => {
    const plane = await testControlPlane();
    plane.files.set("bundle", "all of it");
    const ca = readFileSync(join(plane.folder, "ca.pem"), "utf8");
    const identity = await joining(plane, { bearer: { ca } });
    const link = linked(identity);
    await expect.poll(() => link.connected).toBe(true);
    plane.proxyStatus = status;
    const fetched = link.fetch("bundle", AbortSignal.timeout(60_000));
    await expect.poll(() => plane.proxied).toContain("/reeve.v1.AgentService/Fetch");
    for (const stream of plane.streams) stream.cut();
    const calls = () => plane.proxied.filter((path) => path.endsWith("/Control")).length;
    await expect.poll(calls).toBeGreaterThan(2);
    const overdue = linked({ ...identity, renewAt: new Date(0).toISOString() });
    await expect.poll(() => plane.proxied).toContain("/reeve.v1.AgentService/Renew");
    plane.proxyStatus = undefined;
    await expect.poll(() => link.connected && overdue.connected).toBe(true);
    expect(String(await fetched)).toBe("all of it");
  },
);

test.each([
  [Farewell_Reason.REPLACED, "replaced"],
  [Farewell_Reason.REVOKED, "revoked"],
])("farewell %d ends the link as %s", async (reason, expected) => {
  const plane = await testControlPlane();
  const link = linked(await joining(plane));
  (await streamAt(plane, 0)).say({ case: "farewell", value: { reason, why: "so it is" } });
  expect(await link.ended).toEqual({ reason: expected, why: "so it is" });
});

test("a farewell to connect again, a cut and a silence lead to the next replica, under the same session", async () => {
  const first = await testControlPlane();
  const second = await testControlPlane(first);
  const link = linked({ ...(await joining(first)), urls: [first.url, second.url] });
  const streams = () => [...first.streams, ...second.streams];
  const heardHello = () => streams().filter((stream) => stream.heard.length > 0);
  await expect.poll(() => heardHello().length).toBe(1);
  heardHello()[0]?.say({ case: "farewell", value: { reason: Farewell_Reason.RECONNECT, why: "" } });
  await expect.poll(() => heardHello().length).toBe(2);
  expect([first.streams.length, second.streams.length]).toEqual([1, 1]);
  for (const stream of streams()) stream.cut();
  await expect.poll(() => heardHello().length).toBe(3);
  // Whoever answers nothing, not even beats, is left.
  const silent = (message: Parameters<typeof answerAll>[0], stream: Parameters<typeof answerAll>[1]) => {
    if (message.case === "hello") answerAll(message, stream);
  };
  first.answer = silent;
  second.answer = silent;
  await expect.poll(() => heardHello().length).toBeGreaterThan(3);
  const sessions = streams().flatMap(({ heard: [hello] }) =>
    hello?.case === "hello" ? hello.value.session : [],
  );
  expect(new Set(sessions).size).toBe(1);
  expect(link.connected).toBeDefined();
});

test("each hello has a higher number than the one before, and goes on from that of a former life of the host", async () => {
  const plane = await testControlPlane();
  linked(await joining(plane));
  const numberAt = async (at: number) => {
    const [hello] = (await streamAt(plane, at)).heard;
    return hello?.case === "hello" ? Number(hello.value.number) : 0;
  };
  const first = await numberAt(0);
  expect(first).toBeGreaterThan(0);
  plane.streams[0]?.cut();
  const second = await numberAt(1);
  expect(second).toBeGreaterThan(first);
  const newestHello = BigInt(second) + 1_000_000n;
  const value = { reason: Farewell_Reason.RECONNECT, why: "", newestHello };
  plane.streams[1]?.say({ case: "farewell", value });
  // Above those, too, that a former process may have said after it and nobody has heard.
  expect(await numberAt(2)).toBeGreaterThan(Number(newestHello) + 1000);
});

test("a control plane that is away is tried until it is back", async () => {
  const plane = await testControlPlane();
  const link = linked(await joining(plane));
  await expect.poll(() => link.connected).toBe(true);
  await plane.stop();
  await expect.poll(() => link.connected).toBe(false);
  await plane.start();
  await expect.poll(() => link.connected).toBe(true);
});

test("a clock that is days ahead renews once an hour, and not all the time", () => {
  const now = Date.parse("2027-01-05T00:00:00Z");
  const renewIn = (expiresAt: string) => Date.parse(halfLife(new Date(expiresAt), now).renewAt) - now;
  expect(renewIn("2027-01-06T00:00:00Z")).toBe(12 * 3_600_000);
  expect(renewIn("2027-01-02T00:00:00Z")).toBe(3_600_000);
});

test("at half its life an identity is renewed with a new key, kept before it is used", async () => {
  const plane = await testControlPlane();
  plane.lifeMs = 4000;
  const identity = await joining(plane);
  plane.lifeMs = 86_400_000;
  const kept: Identity[] = [];
  linked(identity, kept);
  const before = await streamAt(plane, 0);
  const after = await streamAt(plane, 1);
  expect(plane.renewals).toBe(1);
  expect(kept).toMatchObject([{ generation: 2 }]);
  expect(after.fingerprint).not.toBe(before.fingerprint);
  expect(kept[0]?.proof).not.toMatchObject({
    key: identity.proof.by === "certificate" && identity.proof.key,
  });
});

test("an identity that is over by the control plane's clock is renewed, though by ours there is time", async () => {
  const plane = await testControlPlane();
  const identity = await joining(plane);
  plane.refuseUntilRenewed = Code.FailedPrecondition;
  const kept: Identity[] = [];
  linked(identity, kept);
  await streamAt(plane, 0);
  expect(Date.parse(identity.renewAt)).toBeGreaterThan(Date.now() + 3_600_000);
  expect(kept).toMatchObject([{ generation: 2 }]);
});

test("a clock that is set back while an agent is connected keeps it from no renewal", async () => {
  const plane = await testControlPlane();
  plane.lifeMs = 4000;
  const identity = await joining(plane);
  plane.lifeMs = 86_400_000;
  const kept: Identity[] = [];
  linked(identity, kept);
  await streamAt(plane, 0);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  await streamAt(plane, 1);
  expect(kept).toMatchObject([{ generation: 2 }]);
});

test("a file is waited for while the control plane is away, and not when it is not the agent's to have", async () => {
  const plane = await testControlPlane();
  plane.files.set("bundle", "all of it");
  const link = linked(await joining(plane));
  await expect.poll(() => link.connected).toBe(true);
  const { signal } = new AbortController();
  await expect(link.fetch("another's", signal)).rejects.toThrow(
    "cannot fetch another's: there is no another's",
  );
  await plane.stop();
  // Also by whoever asks before the loss was noticed.
  const early = link.fetch("bundle", signal);
  await expect.poll(() => link.connected).toBe(false);
  const late = link.fetch("bundle", signal);
  await expect(link.fetch("bundle", AbortSignal.timeout(300))).rejects.toThrow("cannot fetch bundle: ");
  await plane.start();
  for (const fetched of [early, late]) expect(String(await fetched)).toBe("all of it");
});
