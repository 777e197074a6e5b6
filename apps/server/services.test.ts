import { createHash } from "node:crypto";
import { Code } from "@connectrpc/connect";
import { servicesArea } from "@reeve/services/control";
import { expect, test, vi } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { patientWithLinks, refusalOf } from "./testing-agents.ts";
import { fetched, keeping, type Linked, linked } from "./testing-services.ts";

/** What the control plane says of services to agents, and hears from them; agents here are only links. */

const patience = { timeout: 60_000, interval: 50 };
const compose = "services:\n  web:\n    image: web:1\n";

async function apply(server: TestServer, spec: object) {
  const body = { apiVersion: "reeve/v1", kind: "Service", metadata: { scope: "acme", name: "web" }, spec };
  return server.call("PUT", "/organizations/acme/services/web", { body });
}
const act = (server: TestServer, action: string) =>
  server.call("POST", `/organizations/acme/services/web/actions/${action}`, { body: {} });
const read = async (server: TestServer) =>
  (await server.call("GET", "/organizations/acme/services/web")).body;

test("only the agent that a service was given to can have its files, and speak of it", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const one = await linked(server, "one", keeping);
  const two = await linked(server, "two", keeping);
  const made = await apply(server, { files: { "compose.yaml": compose }, hosts: { names: ["one"] } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const digest = createHash("sha256")
    .update(JSON.stringify({ "compose.yaml": compose }))
    .digest("hex");
  const name = `services/bundles/${digest}`;
  expect((await refusalOf(fetched(one, name))).code).toBe(Code.NotFound);
  expect((await act(server, "deploy")).status).toBe(200);
  expect(JSON.parse(await fetched(one, name))).toEqual({ "compose.yaml": compose });
  expect((await refusalOf(fetched(two, name))).code).toBe(Code.NotFound);
  expect((await refusalOf(fetched(one, "services/bundles/00"))).code).toBe(Code.NotFound);
  expect((await refusalOf(fetched(one, "../etc/passwd"))).code).toBe(Code.NotFound);

  const { uid } = (await read(server)).metadata;
  const tell = ({ line }: Linked, state: string) =>
    line.say({
      case: "observations",
      value: { observations: [{ uid, seen: JSON.stringify({ generation: 1, state, containers: [] }) }] },
    } as never);
  tell(two, "stopped");
  tell(one, "running");
  await vi.waitFor(async () => {
    expect((await read(server)).status.instances).toMatchObject([
      { host: "one", state: "running", generation: 1 },
    ]);
  }, patience);
  const before = (await read(server)).metadata.revision;
  tell(one, "running");
  one.line.say({ case: "beat", value: { number: 1n, freeSlots: 4 } } as never);
  await one.line.hear("beatHeard");
  expect((await read(server)).metadata.revision).toBe(before);

  // An agent that has lost its disk knows of nothing.
  one.line.say({ case: "observations", value: { observations: [], all: true, kept: [] } } as never);
  await vi.waitFor(async () => {
    expect((await read(server)).status.instances).toMatchObject([{ host: "one", state: "unknown" }]);
  }, patience);
});

test("what an agent has seen is recorded in the order in which it says so, however fast", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const one = await linked(server, "one", keeping);
  await apply(server, { files: { "compose.yaml": compose }, hosts: { names: ["one"] } });
  await act(server, "deploy");
  const { uid } = (await read(server)).metadata;
  const recorded = async () =>
    (await server.database.query<{ why: string }>("select seen ->> 'why' as why from kept"))[0]?.why;
  for (let round = 0; round < 10; round++) {
    const words = Array.from({ length: 30 }, (_, at) => `${round} ${at}`);
    for (const why of words) {
      const seen = JSON.stringify({ generation: 1, state: "running", why, containers: [] });
      one.line.say({ case: "observations", value: { observations: [{ uid, seen }] } } as never);
    }
    await vi.waitFor(async () => expect(await recorded()).toBe(words.at(-1)), patience);
  }
});

test("what a deploy would change is told for each host, against what it keeps", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const one = await linked(server, "one", keeping);
  await linked(server, "two", keeping);
  const difference = () => server.call("GET", "/organizations/acme/services/web/difference");
  const files = { "compose.yaml": compose, note: "x" };
  await apply(server, { files, hosts: { names: ["one"] }, environment: { PORT: "80" } });
  expect((await difference()).body).toEqual({
    brings: { generation: 1 },
    hosts: [
      {
        host: "one",
        does: "begin",
        files: [
          { path: "compose.yaml", after: compose },
          { path: "note", after: "x" },
        ],
        settings: [],
      },
    ],
  });
  await act(server, "deploy");
  const { uid } = (await read(server)).metadata;
  const bundle = createHash("sha256").update(JSON.stringify(files)).digest("hex");
  const seen = JSON.stringify({ generation: 1, bundle, state: "running", containers: [] });
  one.line.say({ case: "observations", value: { observations: [{ uid, seen }] } } as never);
  await vi.waitFor(async () => expect((await difference()).body.hosts[0].does).toBe("nothing"), patience);

  const second = compose.replace("web:1", "web:2");
  const environment = { PORT: "81", KEY: "new" };
  await apply(server, { files: { "compose.yaml": second }, hosts: { names: ["two"] }, environment });
  expect((await difference()).body.hosts).toMatchObject([
    { host: "two", does: "begin" },
    { host: "one", does: "remove" },
  ]);
  await apply(server, { files: { "compose.yaml": second }, hosts: { names: ["one"] }, environment });
  expect((await difference()).body).toEqual({
    brings: { generation: 3 },
    hosts: [
      {
        host: "one",
        does: "change",
        runs: { generation: 1 },
        files: [
          { path: "compose.yaml", before: compose, after: second },
          { path: "note", before: "x" },
        ],
        settings: [
          { pointer: "/environment/KEY", after: "new" },
          { pointer: "/environment/PORT", before: "80", after: "81" },
        ],
      },
    ],
  });

  // Files that a host runs are kept to be compared; those that nobody runs go.
  const age = "update service_bundle set at = now() - interval '3 days'";
  await server.database.query(`${age} where digest = $1`, [bundle]);
  await server.database.query(
    "insert into service_bundle (digest, content, at) values ('old', '{}', now() - interval '3 days')",
  );
  const { retention = [] } = servicesArea({ data: "", openSecrets: undefined as never });
  const rule = retention.find(({ name }) => name === "files of services");
  expect(await rule?.prune(server.database, 100)).toBe(1);
  expect((await difference()).body.hosts[0].files).toHaveLength(2);

  await apply(server, { files: { "compose.yaml": second }, hosts: { names: ["nowhere"] } });
  expect((await difference()).status).toBe(412);
});

test("a silent agent makes its instances unknown", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const one = await linked(server, "one", keeping);
  await apply(server, { files: { "compose.yaml": compose }, hosts: { names: ["one"] } });
  await act(server, "deploy");
  const { uid } = (await read(server)).metadata;
  const seen = JSON.stringify({ generation: 1, state: "running", containers: [] });
  one.line.say({ case: "observations", value: { observations: [{ uid, seen }] } } as never);
  await vi.waitFor(
    async () => expect((await read(server)).status.instances?.[0]?.state).toBe("running"),
    patience,
  );
  one.line.say({ case: "leave", value: {} } as never);
  await vi.waitFor(async () => {
    expect((await read(server)).status.instances[0]).toMatchObject({
      state: "unknown",
      why: "its agent is silent",
    });
  }, patience);
});

test("a deploy prepares all hosts before it touches one, and then goes from one to the next, as they are named", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const lines = [await linked(server, "one", keeping), await linked(server, "two", keeping)];
  await apply(server, { files: { "compose.yaml": compose }, hosts: { names: ["two", "one"] } });
  const { run: id } = (await act(server, "deploy")).body;
  const { items } = (await server.call("GET", `/runs/${id}/steps`)).body;
  const steps = items as { name: string; needs: number[] }[];
  expect(steps.map(({ name, needs }) => [name, needs])).toEqual([
    ["prepare-two", []],
    ["prepare-one", []],
    ["keep-two", [0, 1]],
    ["keep-one", [2]],
  ]);
  for (const { line } of lines) {
    const { offers } = await line.hear("offers");
    expect(offers).toMatchObject([{ executor: "service-prepare" }]);
  }
});

test("a rollout changes as many hosts at once as it says, chosen by their labels and by where most memory is free", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const memory = { small: 1n, roomy: 4n, middle: 2n, other: 3n };
  for (const [name, gigabytes] of Object.entries(memory)) {
    const { line } = await linked(server, name, keeping, { memoryBytes: gigabytes * 1024n ** 3n });
    const status = { memoryUsedBytes: 1024n ** 3n / 2n };
    line.say({ case: "beat", value: { number: 1n, freeSlots: 4, status } } as never);
    await line.hear("beatHeard");
  }
  const deployed = async (hosts: object) => {
    const made = await apply(server, { files: { "compose.yaml": compose }, hosts, rollout: { parallel: 2 } });
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
    const { run } = (await act(server, "deploy")).body;
    const { items } = (await server.call("GET", `/runs/${run}/steps`)).body;
    return (items as { name: string; needs: number[] }[])
      .filter(({ name }) => !name.startsWith("prepare"))
      .map(({ name, needs }) => [name, needs]);
  };
  const { status, body } = await apply(server, {
    files: { "compose.yaml": compose },
    hosts: { names: ["small"], count: 2 },
  });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining("/spec/hosts/count")]);
  // Three of four by room; then fewer, which stay where it is.
  expect(await deployed({ labels: "reeve/os=linux", count: 3 })).toEqual([
    ["keep-middle", [0, 1, 2]],
    ["keep-other", [0, 1, 2]],
    ["keep-roomy", [3, 4]],
  ]);
  expect(await deployed({ names: ["middle"], labels: "reeve/os=linux", count: 1 })).toEqual([
    ["keep-middle", [0, 1]],
    ["keep-roomy", [0, 1]],
    ["remove-other", [2, 3]],
  ]);
  // Its hosts are in its status a moment after the deploy was begun.
  await vi.waitFor(
    async () => expect((await act(server, "restart")).body.run).toEqual(expect.any(String)),
    patience,
  );
});

test("what cannot be deployed is refused before anything is queued, with what to do", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const refusalTo = async (spec: object) => {
    const made = await apply(server, { files: { "compose.yaml": compose }, ...spec });
    if (made.status >= 300) return JSON.stringify(made.body);
    return JSON.stringify((await act(server, "deploy")).body);
  };
  expect(await refusalTo({ hosts: { names: ["nowhere"] } })).toContain("there is no host nowhere");
  expect(await refusalTo({ hosts: { labels: "zone=a" } })).toContain("no host has the labels zone=a");
  await linked(server, "plain", ["shell"]);
  expect(await refusalTo({ hosts: { names: ["plain"] } })).toContain("it has not found `docker compose`");
  expect(await refusalTo({ hosts: { names: ["plain"] }, project: "other" })).toContain(
    "the project of a service stays",
  );
  expect(await refusalTo({ hosts: { names: ["plain"] }, files: { "compose.yaml": "a: [" } })).toContain(
    "compose.yaml:",
  );
  expect((await server.call("GET", "/organizations/acme/runs")).body.items ?? []).toEqual([]);
});
