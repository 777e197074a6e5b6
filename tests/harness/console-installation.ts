import { join } from "node:path";
import { serveGit, testRepository } from "@reeve/git/testing";
import { connect } from "../../clients/sdk/index.ts";
import { agentProcess, joinToken, processesOf } from "./agent-process.ts";
import { type Api, password, setUp } from "./api.ts";
import type { Bench } from "./bench.ts";
import { repository, resources, type WorkflowName, workflows } from "./console-resources.ts";
import { signalPid } from "./processes.ts";
import { freePort } from "./replicas.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { until } from "./until.ts";

/** An installation in which every page of the console has something to show: for stories, screenshots and the benchmark. */
export interface ConsoleInstallation {
  readonly server: ServerProcess;
  readonly api: Api;
  /** A run of each workflow, by its id. */
  readonly runs: Readonly<Record<WorkflowName | "cancelled" | "queued", string>>;
  /** Of a terminal, by its id. */
  readonly recording: string;
}

const shopPath = "/api/v1/organizations/acme/projects/shop";
/** Where the run of a workflow gets to, and stays; what a step of it says then. */
const comesTo: Readonly<Record<WorkflowName, { readonly state: string; readonly says: string }>> = {
  nightly: { state: "succeeded", says: "" },
  deploy: { state: "failed", says: "" },
  release: { state: "running", says: "Release 4.2.0" },
  training: { state: "running", says: "gpu=yes" },
  import: { state: "running", says: '"running"' },
  "five-hundred": { state: "succeeded", says: "" },
};

export async function prepareConsole(bench: Bench): Promise<ConsoleInstallation> {
  const agents = `127.0.0.1:${await freePort()}`;
  const server = await startServer(bench, {
    settings: {
      REEVE_HOME_AGENT: "on",
      REEVE_AGENT_LISTEN: agents,
      REEVE_RECORD_TERMINALS: "true",
      // Browsers sign in from addresses of their own: one may not that often.
      REEVE_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  // What its agent runs outlives them both.
  const killNow = () => {
    for (const pid of processesOf(join(server.data, "agent"))) signalPid(pid, "SIGKILL");
  };
  bench.keep({ end: killNow, killNow });
  const api = await setUp(server.url, server.setupLink);
  await applyAll(api, [...resources, repository(await appsUrl(bench)), ...workflows]);
  await Promise.all([
    post(api, `${shopPath}/secrets/database/actions/set`, { values: { password: "a secret of tests" } }),
    post(api, "/api/v1/users/linus/actions/set-password", { password }),
    awayHost(bench, `https://${agents}`, api),
  ]);
  // Once more, so that it has a history.
  await applyAll(api, [{ ...workflows[0], spec: { ...workflows[0]?.spec, timeout: "2h" } }]);

  const begin = async (name: WorkflowName) =>
    (await post(api, `${shopPath}/workflows/${name}/actions/trigger`, {})).run as string;
  for (let count = 0; count < 3; count++) await begin("nightly");
  // Its host is away: the deploy stays under way.
  await post(api, `${shopPath}/services/warehouse/actions/deploy`, {});
  const names = Object.keys(comesTo) as WorkflowName[];
  const begun = await Promise.all(names.map(async (name) => [name, await begin(name)] as const));
  const [cancelled, queued] = [await begin("import"), await begin("training")];
  await post(api, `/api/v1/runs/${cancelled}/cancel`, { why: "the feed is closed on Sundays" });
  for (const [name, id] of begun) await untilRun(api, id, comesTo[name]);
  await untilRun(api, cancelled, { state: "cancelled", says: "" });
  const runs = { ...(Object.fromEntries(begun) as Record<WorkflowName, string>), cancelled, queued };
  return { server, api, runs, recording: await recordTerminal(api) };
}

/** A real repository with a folder that could be a service. */
async function appsUrl(bench: Bench): Promise<string> {
  const keep = (end: () => void) => bench.keep({ end });
  const { root, push } = testRepository(keep);
  push({ "web/compose.yaml": "services:\n  web:\n    image: nginx:1.29\n" });
  return (await serveGit(root, keep)).url;
}

async function applyAll(api: Api, resources: readonly object[]): Promise<void> {
  const { results } = await post(api, "/api/v1/apply", { resources });
  const refused = results.find((one: { outcome?: string }) => one.outcome === undefined);
  if (refused !== undefined) throw new Error(`could not be made: ${JSON.stringify(refused)}`);
}

/** A host whose agent has said good-bye: it needs somebody's attention. */
async function awayHost(bench: Bench, url: string, api: Api): Promise<void> {
  const agent = agentProcess(bench, { name: "build-1", urls: [url], labels: { zone: "a" } });
  await agent.join(await joinToken(api, "build-1"));
  agent.start();
  const state = async () => (await api.call("GET", "/api/v1/hosts/build-1")).body.status.agent;
  await until("the agent build-1 to connect", async () => (await state()) === "connected");
  await agent.stop();
  // Who looks for a host with an agent must not find this one.
  await until("the agent build-1 to be away", async () => (await state()) === "stopped");
}

/** What a shell on the server's own machine has shown. */
async function recordTerminal(api: Api): Promise<string> {
  const client = connect({ url: api.url, token: api.token ?? "" });
  const { items } = (await api.call("GET", "/api/v1/hosts")).body;
  const home = items.find((host: { status: { agent: string } }) => host.status.agent === "connected");
  const { ticket } = await post(api, `/api/v1/hosts/${home.metadata.name}/actions/shell`, {});
  const terminal = await client.terminals.open(ticket, undefined, () => undefined);
  terminal.type("echo an old log is in the way; exit\n");
  await terminal.ended;
  return (await api.call("GET", "/api/v1/recordings")).body.items[0].id;
}

async function untilRun(
  api: Api,
  id: string,
  { state, says }: { state: string; says: string },
): Promise<void> {
  const arrived = async () =>
    (await api.call("GET", `/api/v1/runs/${id}`)).body.state === state &&
    (await api.call("GET", `/api/v1/runs/${id}/steps`)).text.includes(says);
  await until(`the run ${id} to be ${state}`, arrived, 60_000);
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
async function post(api: Api, path: string, body: object): Promise<any> {
  const answer = await api.call("POST", path, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}
