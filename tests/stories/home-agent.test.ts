import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandLines } from "../../core/agent/attempts/testing.ts";
import { type Api, openApi, password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { bareEnvironment, type Running, run, signalPid } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * A server as `npm start` leaves it: its own agent runs the first workflow at once, comes back when it dies, and takes back what
 * ran; another machine gets its agent by one line. One story: each test goes on from where the one before has left the world.
 */
const bench = openBench(afterAll);
const data = join(bench.folder(), "data");
const settings = { REEVE_HOME_AGENT: "on", REEVE_REPLICA: "home" };
let server: ServerProcess;
let token: string;

const api = (): Api => openApi(server.url, token);
const workflows = "/api/v1/organizations/acme/projects/shop/workflows";

beforeAll(async () => {
  server = await startServer(bench, { data, settings });
  const setup = await openApi(server.url).call("POST", "/api/v1/setup", {
    body: { token: server.setupLink?.split("#")[1], user: "ada", password, organization: "acme" },
  });
  token = setup.body.token;
  const made = await api().call("POST", "/api/v1/organizations/acme/projects", {
    body: { metadata: { name: "shop" }, spec: {} },
  });
  expect(made.status, made.text).toBe(201);
});

async function begin(name: string, script: string, selector?: string): Promise<string> {
  const spec = { steps: [{ name: "only", run: script, ...(selector && { selector }) }] };
  const made = await api().call("POST", workflows, { body: { metadata: { name }, spec } });
  expect(made.status, made.text).toBe(201);
  const begun = await api().call("POST", `${workflows}/${name}/actions/trigger`, { body: {} });
  expect(begun.status, begun.text).toBeLessThan(300);
  return JSON.stringify(begun.body).match(/"run":"([0-9a-f-]{36})"/)?.[1] ?? "no run";
}

async function stateOf(id: string): Promise<string> {
  const answer = await api().call("GET", `/api/v1/runs/${id}`);
  return answer.body?.state ?? answer.text;
}

/** Of its agent: joined, connected, silent, … */
async function hostState(path: string): Promise<string | undefined> {
  return (await api().call("GET", `/api/v1/${path}`)).body?.status?.agent;
}

/** The agent that runs in this folder. */
function agentIn(folder: string): number | undefined {
  for (const [pid, line] of commandLines())
    if (line.includes(" run ") && line.endsWith(`--data ${folder}`)) return pid;
  return undefined;
}

const ended = (id: string) =>
  until(`the run ${id} to succeed`, async () => (await stateOf(id)) === "succeeded");

test("the first workflow runs at once, on the server's own agent", async () => {
  const mark = join(bench.folder(), "mark");
  const id = await begin("first", `echo here >>${mark}`);
  await ended(id);
  expect(readFileSync(mark, "utf8")).toBe("here\n");
  await until("its host to be shown", async () => (await hostState("hosts/home")) === "connected", 60_000);
  // What it joined with is of no use to anybody.
  expect((await api().call("GET", "/api/v1/jointokens")).body.items).toEqual([]);
});

test("an agent that is killed comes back, and what it ran goes on", async () => {
  const folder = bench.folder();
  const [mark, gate] = [join(folder, "mark"), join(folder, "gate")];
  const id = await begin(
    "killed",
    `echo begun >>${mark}; while [ ! -e ${gate} ]; do sleep 0.1; done; echo done >>${mark}`,
  );
  await until("the step to begin", () => existsSync(mark));
  const before = agentIn(join(data, "agent")) as number;
  signalPid(before, "SIGKILL");
  await until("another agent", () => ![undefined, before].includes(agentIn(join(data, "agent"))));
  writeFileSync(gate, "");
  await ended(id);
  expect(readFileSync(mark, "utf8")).toBe("begun\ndone\n");
});

test("a stop of the server leaves its steps running, and the next start takes them back", async () => {
  const folder = bench.folder();
  const [mark, gate] = [join(folder, "mark"), join(folder, "gate")];
  const id = await begin(
    "kept",
    `echo begun >>${mark}; while [ ! -e ${gate} ]; do sleep 0.1; done; echo done >>${mark}`,
  );
  await until("the step to begin", () => existsSync(mark));
  expect((await server.stop()).code).toBe(0);
  expect(agentIn(join(data, "agent"))).toBeUndefined();
  writeFileSync(gate, "");
  await until("the step to end without anybody", () => readFileSync(mark, "utf8") === "begun\ndone\n");
  server = await startServer(bench, { data, settings });
  await ended(id);
  expect(readFileSync(mark, "utf8")).toBe("begun\ndone\n");
});

/** The machine that becomes a host by one line. */
const prefix = bench.folder();
const edge = "organizations/acme/hosts/edge-1";
const installed = (path: string) => join(prefix, "usr/local", path);
const home = join(prefix, "var/lib/reeve-agent");
const drop = join(prefix, "etc/systemd/system/reeve-agent.service.d/root.conf");
let agent: Running;

async function install(...args: string[]): Promise<string> {
  const line = `curl -fsS ${server.url}/agent/install.sh | sh -s -- --prefix ${prefix} ${args.join(" ")}`;
  const installing = run("sh", ["-c", line], { cwd: prefix, env: bareEnvironment });
  expect(await installing.ended, installing.stderr()).toMatchObject({ code: 0 });
  return installing.stderr();
}

const launch = (...args: string[]) =>
  run(installed("bin/reeve-agent"), args, { cwd: prefix, env: bareEnvironment });

async function startEdge(): Promise<void> {
  agent = launch("run", "--data", home);
  bench.keep({ end: () => agent.kill("SIGTERM"), killNow: () => agent.kill("SIGKILL") });
  await until("its host", async () => (await hostState(edge)) === "connected", 60_000);
}

test("another machine becomes a host by one line, without a clone", async () => {
  const names = "/api/v1/organizations/acme/jointokens";
  const made = await api().call("POST", names, {
    body: { metadata: { name: "edge" }, spec: { hosts: "edge-*" } },
  });
  expect(made.status, made.text).toBe(201);
  const issued = await api().call("POST", `${names}/edge/actions/issue`, { body: {} });
  const secret = JSON.stringify(issued.body).match(/"token":"(rjt_[^"]+)"/)?.[1] ?? "no token";
  const said = await install(`--token ${secret} --name edge-1 --label zone=a --root`);
  expect(said).toContain("joined acme as host edge-1");
  expect(statSync(join(home, "identity.json")).mode & 0o777).toBe(0o600);
  const unit = readFileSync(join(prefix, "etc/systemd/system/reeve-agent.service"), "utf8");
  expect(unit).toContain(`--data ${home}\n`);
  expect(readFileSync(drop, "utf8")).toContain("User=root");

  await startEdge();
  const second = launch("run", "--data", home);
  expect(await second.ended).toMatchObject({ code: 1 });
  expect(second.stderr()).toContain("another agent is running");
  const mark = join(prefix, "mark");
  await begin("edge", `echo edge >>${mark}`, "zone=a");
  await until("the step on the new host", () => existsSync(mark));
});

test("the same line without a token brings its agent to the server's version, and what it runs goes on", async () => {
  const version = async () => (await api().call("GET", `/api/v1/${edge}`)).body.status.version;
  const served = await version();
  agent.kill("SIGTERM");
  await agent.ended;
  const program = installed("lib/reeve-agent/reeve-agent.mjs");
  writeFileSync(program, readFileSync(program, "utf8").replaceAll(served, "0.0.1"));
  await startEdge();
  await until("the earlier version", async () => (await version()) === "0.0.1");
  const [mark, gate] = [join(prefix, "kept"), join(prefix, "gate")];
  const id = await begin(
    "upgraded",
    `echo begun >>${mark}; while [ ! -e ${gate} ]; do sleep 0.1; done; echo done >>${mark}`,
    "zone=a",
  );
  await until("the step to begin", () => existsSync(mark));

  expect(await install()).not.toContain("joined");
  expect(readFileSync(drop, "utf8"), "it stays root's").toContain("User=root");
  agent.kill("SIGTERM");
  expect(await agent.ended).toMatchObject({ code: 0 });
  await startEdge();
  await until("the server's version", async () => (await version()) === served);
  writeFileSync(gate, "");
  await ended(id);
  expect(readFileSync(mark, "utf8")).toBe("begun\ndone\n");
  const { body } = await api().call("GET", `/api/v1/runs/${id}/steps`);
  expect(body.items).toMatchObject([{ name: "only", attempt: 1 }]);
});

test("the agent of a host that is deleted ends, and says how it could come back", async () => {
  const deleted = await api().call("DELETE", `/api/v1/${edge}`);
  expect(deleted.status, deleted.text).toBeLessThan(300);
  expect(await agent.ended, agent.stderr()).toMatchObject({ code: 3 });
  expect(agent.stderr()).toContain("join again with a new token");
});

test("a damaged download changes nothing", async () => {
  const script = (await (await fetch(`${server.url}/agent/install.sh`)).text()).replace(
    /^[0-9a-f]{8}/m,
    "00000000",
  );
  const nowhere = bench.folder();
  const installing = run("sh", ["-s", "--", "--prefix", nowhere, "--token", "rjt_x"], {
    cwd: nowhere,
    env: bareEnvironment,
    stdin: script,
  });
  expect(await installing.ended).toMatchObject({ code: 1 });
  expect(installing.stderr()).toContain("a download is damaged");
  expect(existsSync(join(nowhere, "usr/local/lib/reeve-agent/reeve-agent.mjs"))).toBe(false);
});
