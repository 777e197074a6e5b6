import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { openBench } from "../harness/bench.ts";
import { freePort } from "../harness/replicas.ts";
import { startServer } from "../harness/server-process.ts";
import { shopOf } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

test("the agents' authority is rotated while steps run, machines are off and tokens are out; then the old one is forgotten", async () => {
  const bench = openBench(onTestFinished);
  const { url: database } = await testDatabase();
  const ports = [await freePort(), await freePort()];
  const settings = ports.map((port, at) => ({
    REEVE_DATABASE_URL: database,
    REEVE_REPLICA: at === 0 ? "a" : "b",
    REEVE_AGENT_LISTEN: `127.0.0.1:${port}`,
  }));
  const first = await startServer(bench, { settings: settings[0] ?? {} });
  const shop = await shopOf(bench, first);
  let second = await startServer(bench, { settings: settings[1] ?? {} });
  const token = await joinToken(shop.api, "edge", { uses: 3 });
  const [busy, off, late] = ["busy", "off", "late"].map((name) =>
    agentProcess(bench, {
      name,
      urls: ports.map((port) => `https://127.0.0.1:${port}`),
      labels: { pool: name },
    }),
  ) as [ReturnType<typeof agentProcess>, ReturnType<typeof agentProcess>, ReturnType<typeof agentProcess>];
  const identity = (agent: { data: string }) =>
    JSON.parse(readFileSync(join(agent.data, "identity.json"), "utf8"));
  const list = async () => (await shop.done(["authority", "list"])).trim().split("\n").slice(1);
  const isConnected = async (name: string) =>
    (await shop.api.call("GET", `/api/v1/hosts/${name}`)).body.status?.agent === "connected";
  const connected = (name: string) => until(`${name} to be connected`, () => isConnected(name), 60_000);

  for (const agent of [busy, off]) {
    await agent.join(token);
    agent.start();
    await connected(agent.name);
  }
  await off.crash();
  const gate = join(bench.folder(), "gate");
  const run = `echo began; while [ ! -e ${gate} ]; do sleep 0.1; done`;
  await shop.workflow("long", { steps: [{ name: "wait", selector: "pool=busy", run }] });
  const id = await shop.begin("long");
  await until("the step to run", async () => (await shop.run(id)).steps.wait?.state === "running");
  const before = identity(busy);
  expect(await list()).toEqual([expect.stringMatching(/ current .*all/)]);

  await shop.done(["authority", "rotate"]);
  expect(await shop.refused(["authority", "rotate"])).toContain("not finished");
  await until(
    "the running agent to renew",
    () => identity(busy).generation === before.generation + 1,
    60_000,
  );
  await connected("busy");
  const after = identity(busy);
  expect(after.proof.authority).toContain(before.proof.authority);
  expect(after.proof.authority.startsWith(before.proof.authority)).toBe(false);
  // Who was away trusts only the old one, and a token that was made before knows only the old one.
  await until("them to be counted", async () => / trusted +\w+ +1 +1 +0$/.test((await list())[1] ?? ""));
  await late.join(token);
  late.start();
  off.start();
  await Promise.all([connected("late"), connected("off")]);
  await until("the old one to be forgotten", async () => (await list()).length === 1, 60_000);
  expect(await list()).toEqual([expect.stringMatching(/ current .*all/)]);

  await until(
    "who was away to have renewed",
    () => !identity(off).proof.authority.startsWith(before.proof.authority),
  );
  writeFileSync(gate, "");
  const ended = await shop.ended(id);
  expect(ended).toMatchObject({ state: "succeeded", steps: { wait: { attempt: 1 } } });
  expect(await second.stop()).toEqual({ code: 0, signal: null });
  await Promise.all(["busy", "off", "late"].map(connected));
  second = await startServer(bench, { settings: settings[1] ?? {} });
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  const api = second.api(shop.api.token);
  await until("all to be served by the other replica", async () => {
    const { body } = await api.call("GET", "/api/v1/hosts");
    return body.items.every((host: { status: { agent: string } }) => host.status.agent === "connected");
  });
  const audit = (await api.call("GET", "/api/v1/audit?kind=Authority")).body.items;
  expect(audit.map((one: { operation: string; by: { name: string } }) => one.operation)).toEqual([
    "delete",
    "rotate",
  ]);
});
