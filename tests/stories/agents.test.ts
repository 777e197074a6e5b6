import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { openApi, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openCli } from "../harness/cli.ts";
import { linkAgent } from "../harness/linked-agent.ts";
import { freePort } from "../harness/replicas.ts";
import { startServer } from "../harness/server-process.ts";
import { openShop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** Agents as an operator has them: with the real command line, real servers and the agent's own link. */

test("an operator makes a token, an agent joins, is listed, drained, resumed and revoked", async () => {
  const bench = openBench(onTestFinished);
  const { url: databaseUrl } = await testDatabase();
  const agentPort = await freePort();
  const server = await startServer(bench, {
    settings: { REEVE_DATABASE_URL: databaseUrl, REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}` },
  });
  const api = await setUp(server.url, server.setupLink);
  const cli = openCli(bench, { REEVE_URL: server.url, REEVE_TOKEN: api.token ?? "", COLUMNS: "80" });
  const made = await cli([
    "agent",
    "token",
    "--hosts",
    "build-*",
    "--label",
    "pool=build",
    "--scope",
    "acme",
  ]);
  expect(made.stderr).toMatch(/works once, until /);
  const token = made.stdout.trim();
  expect(token).toMatch(/^rjt_/);
  const urls = [`https://127.0.0.1:${agentPort}`];
  await expect(linkAgent(bench, { urls, token, name: "web-1" })).rejects.toThrow(/hosts called build-\*/);
  const agent = await linkAgent(bench, { urls, token, name: "build-1" });
  await expect(linkAgent(bench, { urls, token, name: "build-2" })).rejects.toThrow(/not valid/);

  const list = () => cli(["agent", "list", "--scope", "acme"]);
  await until("the agent to be listed", async () => /^build-1\s+connected/m.test((await list()).stdout));
  const hosts = (await cli(["get", "hosts", "--scope", "acme"])).stdout;
  expect(Math.max(...hosts.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  const shown = (await cli(["host", "build-1", "--scope", "acme"])).stdout;
  expect(shown).toMatch(/Agent\s+connected since 20/);
  expect(shown).toMatch(/Labels\s+pool=build/);
  const above = await cli(["host", "build-1", "--scope", "acme/any"]);
  expect(above).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Host\s+acme\/build-1$/m) });

  const drained = await cli(["agent", "drain", "build-1", "--scope", "acme"]);
  expect(drained).toMatchObject({ code: 0, stderr: expect.stringContaining("nothing runs on it") });
  expect((await list()).stdout).toMatch(/^build-1\s+connected\s+yes/m);
  expect((await cli(["agent", "resume", "build-1", "--scope", "acme"])).code).toBe(0);
  expect((await list()).stdout).not.toMatch(/yes/);

  expect((await cli(["agent", "revoke", "build-1", "--scope", "acme"])).code).toBe(0);
  expect(await agent.ended).toMatchObject({ reason: "revoked" });
  await until("the host to say so", async () => /^build-1\s+revoked/m.test((await list()).stdout));
  const again = await cli(["agent", "token", "--replace", "--scope", "acme"]);
  const back = await linkAgent(bench, { urls, token: again.stdout.trim(), name: "build-1" });
  expect(back.uid).toBe(agent.uid);
  await until("it to be back", async () => /^build-1\s+connected/m.test((await list()).stdout));
  const events = (await cli(["events", "host/build-1", "--scope", "acme"])).stdout;
  for (const reason of ["Joined", "Connected", "Revoked"]) expect(events).toContain(reason);
});

test("an installation that asks for it is closed until all replicas and an agent are there, and says why", async () => {
  const bench = openBench(onTestFinished);
  const { url: databaseUrl } = await testDatabase();
  const agentPort = await freePort();
  const settings = { REEVE_DATABASE_URL: databaseUrl, REEVE_READY_REPLICAS: "2" };
  const one = await startServer(bench, {
    settings: { ...settings, REEVE_REPLICA: "one", REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}` },
  });
  const nobody = openApi(one.url);
  const reasons = async () => (await nobody.call("GET", "/readyz")).body.reasons.join(" ");
  await until("the reason", async () => /1 of 2 are there.*none is connected/.test(await reasons()));
  expect((await nobody.call("GET", "/livez")).status).toBe(200);
  // The set-up, signing in and join tokens are open: how else would an agent ever join.
  const api = await setUp(one.url, one.setupLink);
  const closed = await api.call("GET", "/api/v1/organizations/acme");
  expect(closed.status).toBe(503);
  expect(closed.body).toMatchObject({
    kind: "unavailable",
    detail: expect.stringContaining("waiting for replicas: 1 of 2 are there"),
  });
  const metadata = { scope: "", name: "first" };
  const manifest = { apiVersion: "reeve/v1", kind: "JoinToken", metadata, spec: {} };
  expect((await api.call("POST", "/api/v1/jointokens", { body: manifest })).status).toBe(201);
  const issued = await api.call("POST", "/api/v1/jointokens/first/actions/issue", { body: {} });
  expect(issued.status).toBe(200);
  const connect = await api.call("POST", "/reeve.v1.ResourceService/List", {
    body: { kind: "Organization" },
  });
  expect(connect.status).toBe(503);

  const two = await startServer(bench, { settings: { ...settings, REEVE_REPLICA: "two" } });
  await until("only the agent to be missing", async () => {
    const said = await reasons();
    return !said.includes("replicas") && said.includes("none is connected");
  });
  expect((await api.call("GET", "/api/v1/organizations/acme")).status).toBe(503);
  const { token } = issued.body.output ?? issued.body;
  const agent = await linkAgent(bench, {
    urls: [`https://127.0.0.1:${agentPort}`],
    token,
    name: "first",
  });
  for (const { url } of [one, two])
    await until(`${url} to open`, async () => {
      const answer = await openApi(url, api.token).call("GET", "/api/v1/organizations/acme");
      return answer.status === 200;
    });
  // Once open it stays so: what goes away later is a matter of health.
  agent.stop();
  await two.crash();
  await until(
    "the loss to be noticed",
    async () => {
      const { body } = await api.call("GET", "/api/v1/hosts/first");
      return body.status.agent !== "connected";
    },
    60_000,
  );
  expect((await api.call("GET", "/api/v1/organizations/acme")).status).toBe(200);
});

test("a machine with a clone joins by the command line; its agent, when it is stopped, says so at once, and the next process takes its step back", async () => {
  const bench = openBench(onTestFinished);
  const port = await freePort();
  const shop = await openShop(bench, { REEVE_HOME_AGENT: "off", REEVE_AGENT_LISTEN: `127.0.0.1:${port}` });
  const url = `https://127.0.0.1:${port}`;
  const agent = agentProcess(bench, { name: "edge", urls: [url], data: join(bench.folder(), "edge") });
  const labels = ["--label", "zone=b", "--label", "rack=2"];
  const joining = ["agent", "join", url, "--name", "edge", ...labels, "--data", agent.data];
  const missing = await shop.reeve(joining);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("--token is missing") });
  expect(missing.stderr).toContain("reeve agent token makes one");
  const [first = "", ...others] = await joinToken(shop.api, "edge");
  const wrong = await shop.reeve([...joining, "--token", `${first}${others.reverse().join("")}`]);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("token")]);
  expect(existsSync(join(agent.data, "identity.json"))).toBe(false);
  const token = await joinToken(shop.api, "edge");
  const joined = await shop.reeve([...joining, "--token", "-"], { stdin: `${token}\n` });
  expect(joined).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("joined the installation as host edge"),
  });
  agent.start();
  const gate = join(bench.folder(), "gate");
  await shop.workflow("kept", {
    steps: [
      {
        name: "wait",
        selector: "zone=b,rack=2",
        run: `echo began; while [ ! -e ${gate} ]; do sleep 0.1; done`,
      },
    ],
  });
  const id = await shop.begin("kept");
  const step = async () => (await shop.run(id)).steps.wait;
  await until("the step to run", async () => (await step())?.state === "running");

  expect(await agent.stop()).toEqual({ code: 0, signal: null });
  const why = (await step()).why;
  expect(why).toMatch(/^its agent edge is stopped, last seen /);
  const state = async () => (await shop.api.call("GET", "/api/v1/hosts/edge")).body.status.agent;
  await until("the host to say so", async () => (await state()) === "stopped");
  agent.start();
  await until("it to be back", async () => (await state()) === "connected");
  writeFileSync(gate, "");
  expect(await shop.ended(id)).toMatchObject({ state: "succeeded" });
  expect((await step()).attempt).toBe(1);
  expect(await shop.done(["events", "host/edge", "--scope", ""])).toContain("its agent was stopped");
});
