import { join } from "node:path";
import { type AgentProcess, agentProcess, joinToken } from "./agent-process.ts";
import { type Api, setUp } from "./api.ts";
import type { Bench } from "./bench.ts";
import { startDocker, type TestDocker } from "./docker.ts";
import { startPostgres } from "./private-postgres.ts";
import { freePort } from "./replicas.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { until } from "./until.ts";

/** A host with an engine and an agent of its own. */
export interface DockerHost {
  readonly name: string;
  readonly docker: TestDocker;
  readonly agent: AgentProcess;
}

/** A server that can be killed and started again, and hosts `web-1`, `web-2`, …, whose engines have web:1 and web:2. */
export interface DockerHosts {
  readonly api: Api;
  readonly hosts: readonly [DockerHost, ...DockerHost[]];
  crashServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Records a service of the organization acme. */
  apply(name: string, spec: object): Promise<void>;
  /** Begins its deploy, or another action; the run. */
  deploy(name: string): Promise<string>;
  act(name: string, action: string, input?: object): Promise<string>;
  service(name: string): Promise<ServiceSeen>;
  /** How the run ended, and why. */
  ended(run: string): Promise<{ readonly state: string; readonly why: string }>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type ServiceSeen = any;

const acme = "/api/v1/organizations/acme";

export async function openDockerHosts(bench: Bench, count: number): Promise<DockerHosts> {
  const postgres = await startPostgres(bench);
  const [port, agentPort] = [await freePort(), await freePort()];
  const data = join(bench.folder(), "data");
  const settings = {
    REEVE_DATABASE_URL: postgres.url(),
    REEVE_LISTEN: `127.0.0.1:${port}`,
    REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
  };
  const start = () => startServer(bench, { settings, data });
  let server: ServerProcess = await start();
  const api = await setUp(server.url, server.setupLink);
  const token = await joinToken(api, "hosts", { uses: count });

  async function addHost(name: string): Promise<DockerHost> {
    const docker = await startDocker(bench);
    for (const image of ["web:1", "web:2"]) await docker.image(image);
    const urls = [`https://127.0.0.1:${agentPort}`];
    const agent = agentProcess(bench, { name, urls, env: docker.env });
    await agent.join(token);
    agent.start();
    const isConnected = async () =>
      (await api.call("GET", `/api/v1/hosts/${name}`)).body.status?.agent === "connected";
    await until(`${name} to be connected`, isConnected, 60_000);
    return { name, docker, agent };
  }

  async function act(name: string, action: string, input: object = {}): Promise<string> {
    const path = `${acme}/services/${name}/actions/${action}`;
    const { status, text, body } = await api.call("POST", path, { body: input });
    if (status >= 300) throw new Error(`${name} refused ${action}: ${text}`);
    return body.run;
  }

  const first = await addHost("web-1");
  const others: DockerHost[] = [];
  for (let at = 2; at <= count; at++) others.push(await addHost(`web-${at}`));

  return {
    api,
    hosts: [first, ...others],
    crashServer: () => server.crash(),
    async startServer() {
      server = await start();
    },
    async apply(name, spec) {
      const body = { apiVersion: "reeve/v1", kind: "Service", metadata: { scope: "acme", name }, spec };
      const { status, text } = await api.call("PUT", `${acme}/services/${name}`, { body });
      if (status >= 300) throw new Error(`${name} was not recorded: ${text}`);
    },
    deploy: (name) => act(name, "deploy"),
    act,
    service: async (name) => (await api.call("GET", `${acme}/services/${name}`)).body,
    ended: (run) =>
      until(
        `run ${run} to end`,
        async () => {
          const { body } = await api.call("GET", `/api/v1/runs/${run}`);
          return ["succeeded", "failed", "cancelled"].includes(body.state) && body;
        },
        150_000,
      ),
  };
}
