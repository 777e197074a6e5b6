import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { meanMs, packUsage, sampleMs, type UsageSeries, usageMeasures } from "@reeve/model";
import { usageRetention, writeUsage } from "@reeve/store/usage";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  agentsAddress,
  clientOf,
  connected,
  join,
  joinToken,
  type Lifeline,
  patientWithLinks,
} from "./testing-agents.ts";
import { newUser } from "./testing-people.ts";
import { openWatch } from "./testing-watch.ts";

/** What agents tell of what is used, and who may see it. */

const hourMs = 3_600_000;

function series(name: string, cpu: readonly (number | null)[]): UsageSeries {
  const values = usageMeasures.map((measure) => [measure, measure === "cpu" ? cpu : cpu.map(() => 7)]);
  return { name, values: Object.fromEntries(values) };
}

function slotAgo(slots: number): number {
  return (Math.floor(Date.now() / sampleMs) - slots) * sampleMs;
}

async function linked(server: TestServer, name: string): Promise<{ line: Lifeline; uid: string }> {
  const address = await agentsAddress(server);
  const identity = await join(address, (await joinToken(server, {}, "acme")).text, name);
  return { line: await connected(clientOf(address, identity)), uid: identity.answer.hostUid };
}

async function tell(line: Lifeline, fromMs: number, of: Record<string, readonly UsageSeries[]>, aheadMs = 0) {
  const packed = Object.entries(of).map(([uid, all]) => ({ uid, series: packUsage(all) }));
  const samples = Object.values(of)[0]?.[0]?.values.cpu.length ?? 0;
  const times = { from: timestampFromMs(fromMs + aheadMs), sentAt: timestampFromMs(Date.now() + aheadMs) };
  line.say({ case: "usage", value: { ...times, samples, of: packed } } as never);
  expect(await line.hear("usageHeard")).toMatchObject({ samples });
}

async function read(server: TestServer, path: string) {
  const { status, body } = await server.call("GET", `/usage/${path}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

test("a host's samples are read as they were told; what is newer of a window takes its place, and gaps are gaps", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { line, uid } = await linked(server, "one");
  const from = slotAgo(9);
  await tell(line, from, { [uid]: [series("", [100, 200])] });
  await tell(line, from, { [uid]: [series("", [100, 200, null, 400])] });
  const { items, stepMs } = await read(server, "hosts/one?scope=acme&range=5m");
  expect(stepMs).toBe(sampleMs);
  expect(items).toHaveLength(1);
  const cpu: (number | null)[] = items[0].values.cpu;
  const first = cpu.indexOf(100);
  expect(cpu.slice(first, first + 5)).toEqual([100, 200, null, 400, null]);
  expect(cpu.filter((value) => value !== null)).toHaveLength(3);

  const now = await read(server, "hosts?scope=acme");
  expect(now.items).toEqual([]);
  await tell(line, slotAgo(0), { [uid]: [series("", [300])] });
  expect((await read(server, "hosts?scope=acme")).items).toMatchObject([
    { scope: "acme", resource: "one", host: "one", name: "", values: { cpu: 300, memory: 7 } },
  ]);
});

test("a stream tells that something newer was heard of a host, and nothing to who may not read it", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { line, uid } = await linked(server, "one");
  const on = encodeURIComponent(JSON.stringify([{ usage: { kind: "Host", scope: "acme", name: "one" } }]));
  const watch = await openWatch(server, `/watch?on=${on}`);
  await watch.find(({ event }) => event === "synced");
  expect(watch.heard.map(({ event }) => event)).toEqual(["synced"]);
  // Asked once: the next slot may have begun when it is heard.
  const slot = slotAgo(0);
  await tell(line, slot, { [uid]: [series("", [100])] });
  const { data } = await watch.find(({ event }) => event === "usage");
  expect(data).toEqual({ on: 0, at: new Date(slot).toISOString() });
  const eve = await newUser(server, "eve", []);
  const hers = await openWatch(server, `/watch?on=${on}`, { token: eve.token });
  expect((await hers.find(({ event }) => event !== "synced")).event).toBe("over");
});

test("a host whose clock is wrong is put in its place; what is too old is heard and not kept", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { line, uid } = await linked(server, "one");
  await tell(line, slotAgo(2), { [uid]: [series("", [100])] }, 5 * hourMs);
  const { items } = await read(server, "hosts/one?scope=acme&range=5m");
  expect(items[0].values.cpu).toContain(100);
  await tell(line, slotAgo(2) - 3 * hourMs, { [uid]: [series("", [999])] }, 5 * hourMs);
  const day = await read(server, "hosts/one?scope=acme&range=1d&step=15s");
  expect(day.items[0].values.cpu).not.toContain(999);
});

test("a service is seen on the hosts that keep it, and only there; whoever may read it may see that", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const [one, two] = [await linked(server, "one"), await linked(server, "two")];
  const spec = {
    files: { "compose.yaml": "services:\n  web:\n    image: web:1\n" },
    hosts: { names: ["one"] },
  };
  const made = await server.call("PUT", "/organizations/acme/services/web", {
    body: { apiVersion: "reeve/v1", kind: "Service", metadata: { scope: "acme", name: "web" }, spec },
  });
  const uid: string = made.body.metadata.uid;
  await server.database.query("insert into kept (resource_uid, agent_uid) values ($1, $2)", [uid, one.uid]);
  const told = { [uid]: [series("web-web-1", [5]), series("web-db-1", [6])] };
  await tell(one.line, slotAgo(0), { [one.uid]: [series("", [10])], ...told });
  // Another host cannot speak of it.
  await tell(two.line, slotAgo(0), { [two.uid]: [series("", [10])], ...told });
  const now = await read(server, "services?scope=acme");
  expect(now.items.map((item: { host: string; name: string }) => `${item.host} ${item.name}`).sort()).toEqual(
    ["one web-db-1", "one web-web-1"],
  );
  const { items } = await read(server, "services/web?scope=acme");
  expect(items.map(({ host, name }: { host: string; name: string }) => [host, name])).toEqual([
    ["one", "web-db-1"],
    ["one", "web-web-1"],
  ]);

  const { token: stranger } = await newUser(server, "eve");
  expect((await server.call("GET", "/usage/services/web?scope=acme", { token: stranger })).status).toBe(404);
  expect((await server.call("GET", "/usage/services?scope=acme", { token: stranger })).status).toBe(404);
  expect((await server.call("GET", "/usage/services/web?scope=acme&step=1s")).status).toBe(422);
  expect((await server.call("GET", "/usage/hosts/one?scope=acme&range=31d")).status).toBe(422);
});

test("means are read where there are no samples any more; both go when their time is over", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { uid } = await linked(server, "one");
  const window = (fromMs: number, cpu: readonly number[]) => ({
    ...{ agent: uid, fromMs },
    of: [{ uid, series: packUsage([series("", cpu)]) }],
  });
  const hour = Math.floor((Date.now() - 48 * hourMs) / hourMs) * hourMs;
  await writeUsage(server.database, meanMs, [window(hour, [150, 50])]);
  const { items, stepMs } = await read(server, "hosts/one?scope=acme&range=2d12h");
  expect(stepMs).toBe(meanMs);
  expect(items[0].values.cpu.filter((value: number | null) => value !== null)).toEqual([150, 50]);

  const old = Date.now() - 26 * hourMs;
  await writeUsage(server.database, sampleMs, [window(old, [1]), window(old + 2 * hourMs, [2])]);
  await writeUsage(server.database, meanMs, [window(old - 31 * 24 * hourMs, [3])]);
  for (const rule of usageRetention) {
    expect(await rule.prune(server.database, 100)).toBe(1);
    expect(await rule.prune(server.database, 100)).toBe(0);
  }
});
