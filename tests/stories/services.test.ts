import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type AgentProcess, agentProcess, joinToken } from "../harness/agent-process.ts";
import { type Api, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { startDocker, type TestDocker } from "../harness/docker.ts";
import { startPostgres } from "../harness/private-postgres.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** Services as an operator has them: the real command line, server and agent, on a Docker engine of their own. */
describe("services", { ...needs("docker"), timeout: 600_000 }, () => {
  const bench = openBench(afterAll);
  let docker: TestDocker;
  let server: ServerProcess;
  let agent: AgentProcess;
  let api: Api;
  let cli: Cli;
  let restartServer: () => Promise<void>;

  beforeAll(async () => {
    docker = await startDocker(bench);
    for (const image of ["web:1", "web:2"]) await docker.image(image);
    const postgres = await startPostgres(bench);
    const [port, agentPort] = [await freePort(), await freePort()];
    const settings = {
      REEVE_DATABASE_URL: postgres.url(),
      REEVE_LISTEN: `127.0.0.1:${port}`,
      REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
    };
    const data = join(bench.folder(), "data");
    const begin = () => startServer(bench, { settings, data });
    server = await begin();
    restartServer = async () => {
      server = await begin();
    };
    api = await setUp(server.url, server.setupLink);
    cli = openCli(bench, {
      REEVE_URL: server.url,
      REEVE_TOKEN: api.token ?? "",
      REEVE_SCOPE: "acme",
      COLUMNS: "160",
    });
    await api.call("PUT", "/api/v1/organizations/acme", {
      body: { apiVersion: "reeve/v1", kind: "Organization", metadata: { scope: "", name: "acme" }, spec: {} },
    });
    agent = agentProcess(bench, {
      name: "web-1",
      urls: [`https://127.0.0.1:${agentPort}`],
      env: docker.env,
    });
    await agent.join(await joinToken(api, "join"));
    agent.start();
    await soon(
      "the agent to be there",
      async () => (await api.call("GET", "/api/v1/hosts/web-1")).body.status?.agent === "connected",
    );
  });

  /** Containers, an engine and processes start meanwhile: on a busy machine each takes its time. */
  const soon = (what: string, ask: () => Promise<boolean>) => until(what, ask, 180_000);

  interface Wanted {
    readonly port: number;
    readonly image?: string;
    readonly health?: string;
    readonly more?: string;
  }

  function manifest(name: string, { port, image = "web:1", health = "", more = "" }: Wanted): string {
    return `apiVersion: reeve/v1
kind: Service
metadata: { scope: acme, name: ${name} }
spec:
  hosts: { names: [web-1] }
  environment: { HEALTH: "${health}" }
  health: { timeout: 60s }
  files:
    conf/greeting: ${image}
    compose.yaml: |
      services:
        web:
          image: ${image}
          restart: always
          ports: ["${port}:80"]
          environment: { HEALTH: "\${HEALTH}" }
          volumes: ["./conf:/conf:ro", "./data:/data"]
${more}`;
  }

  const file = () => join(cli.home, "service.yaml");
  async function apply(text: string) {
    writeFileSync(file(), text);
    return cli(["apply", "-f", file()]);
  }
  async function deployed(name: string, wanted: Wanted): Promise<void> {
    expect(await apply(manifest(name, wanted))).toMatchObject({ code: 0 });
    const said = await cli(["deploy", name]);
    expect(said, said.stdout + said.stderr + agent.said()).toMatchObject({ code: 0 });
  }
  const statusOf = async (name: string) =>
    (await api.call("GET", `/api/v1/organizations/acme/services/${name}`)).body.status ?? {};
  const containersOf = (name: string) =>
    docker.run("docker", "ps", "-aq", "--filter", `label=com.docker.compose.project=${name}`);

  test("a first deploy runs, is seen, and an update replaces it while data beside the Compose file stays", async () => {
    await deployed("shop", { port: 8001 });
    expect(await docker.get(8001, "/version")).toBe("web:1");
    await soon("the service to be seen healthy, and its run to have ended", async () => {
      const { instances, deployed } = await statusOf("shop");
      return instances?.[0]?.state === "running" && deployed === 1;
    });
    expect((await cli(["ps", "shop"])).stdout).toMatch(
      /^shop\s+web-1\s+1\s+shop-web-1\s+web:1\s+running, healthy/m,
    );
    expect((await cli(["get", "service", "shop"])).stdout).toMatch(/running\s+web-1\s+1/);
    const top = async () => (await cli(["top", "services", "shop"])).stdout;
    await soon("what its container uses to be told", async () =>
      /^shop +web-1 +shop-web-1 +[\d.]+ % +[\d.]+ (K|M)iB +\S+B \S+B$/m.test(await top()),
    );
    expect((await cli(["top"])).stdout).toMatch(/^web-1 +[\d.]+ % +[\d.]+ (M|G)iB of [\d.]+ GiB /m);

    const folder = join(agent.data, "services", "shop");
    writeFileSync(join(folder, "data", "kept"), "for ever");
    expect(await apply(manifest("shop", { port: 8001, image: "web:2" }))).toMatchObject({ code: 0 });
    const told = await cli(["deploy", "shop", "--dry-run"]);
    expect(told.stdout).toMatch(/^web-1: generation 1 gives way to generation 2$/m);
    expect(told.stdout).toMatch(/^- +image: web:1\n\+ +image: web:2$/m);
    expect(await docker.get(8001, "/version")).toBe("web:1");
    await deployed("shop", { port: 8001, image: "web:2" });
    expect(await docker.get(8001, "/version")).toBe("web:2");
    await soon("nothing more to deploy", async () =>
      (await cli(["deploy", "shop", "--dry-run"])).stdout.startsWith("web-1: runs this already"),
    );
    expect(readFileSync(join(folder, "data", "kept"), "utf8")).toBe("for ever");
    expect(readFileSync(join(folder, "conf/greeting"), "utf8")).toBe("web:2");
    await soon("the new generation to be seen", async () => (await statusOf("shop")).deployed === 2);
  });

  test("a generation that does not become healthy gives way by itself to the one before, with the reason and the time", async () => {
    await deployed("gate", { port: 8002 });
    expect((await apply(manifest("gate", { port: 8002, image: "web:2", health: "fail" }))).code).toBe(0);
    const said = await cli(["deploy", "gate"]);
    expect(said.code).not.toBe(0);
    expect(said.stdout).toMatch(/gate-web-1 is unhealthy; generation 1 is kept again, after [\d.]+ s/);
    expect(await docker.get(8002, "/version")).toBe("web:1");
    await soon("the failure to be told", async () =>
      /unhealthy/.test(JSON.stringify((await statusOf("gate")).conditions ?? "")),
    );
    expect((await statusOf("gate")).instances[0]).toMatchObject({ generation: 1, state: "running" });
  });

  test("a bad Compose file is refused with file and line: some before it is recorded, all before anything is touched", async () => {
    const broken = await apply(manifest("bad", { port: 8003, more: "        db: [\n" }));
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toMatch(/compose\.yaml:\d+:\d+: /);
    expect((await apply(manifest("bad", { port: 8003, more: "          imagine: true\n" }))).code).toBe(0);
    const said = await cli(["deploy", "bad"]);
    expect(said.code).not.toBe(0);
    expect(said.stdout).toContain("imagine");
    expect(await containersOf("bad")).toBe("");
  });

  test("drift is repaired while the server is stopped, and after a restart of the agent", async () => {
    await deployed("drift", { port: 8004 });
    await server.stop();
    await docker.run("docker", "rm", "-f", "drift-web-1");
    await soon("the container to be back", async () => (await docker.get(8004, "/version")) === "web:1");
    await agent.crash();
    await docker.run("docker", "rm", "-f", "drift-web-1");
    agent.start();
    await soon(
      "the container to be back again",
      async () => (await docker.get(8004, "/version")) === "web:1",
    );
    await restartServer();
    await soon("it to be seen", async () => (await statusOf("drift")).instances?.[0]?.state === "running");
  });

  test("a stopped service stays stopped over a restart of agent and engine, and starts again when asked", async () => {
    await deployed("rest", { port: 8005 });
    expect(await cli(["stop", "rest"])).toMatchObject({ code: 0 });
    expect(await containersOf("rest")).toBe("");
    await agent.crash();
    await docker.kill();
    await docker.start();
    agent.start();
    await soon(
      "the host to be seen",
      async () => (await statusOf("rest")).instances?.[0]?.state === "stopped",
    );
    expect(await containersOf("rest")).toBe("");
    expect(await cli(["start", "rest"])).toMatchObject({ code: 0 });
    expect(await docker.get(8005, "/version")).toBe("web:1");
  });

  test("a deleted service leaves nothing on its host, save data, which is named", async () => {
    await deployed("gone", { port: 8006 });
    const folder = join(agent.data, "services", "gone");
    writeFileSync(join(folder, "data", "kept"), "for ever");
    expect(await cli(["delete", "service/gone", "--yes"])).toMatchObject({ code: 0 });
    await soon(
      "the service to be gone",
      async () => (await api.call("GET", "/api/v1/organizations/acme/services/gone")).status === 404,
    );
    expect(await containersOf("gone")).toBe("");
    expect(
      await docker.run("docker", "network", "ls", "-q", "--filter", "label=com.docker.compose.project=gone"),
    ).toBe("");
    expect(readdirSync(folder)).toEqual(["data"]);
    expect(existsSync(join(agent.data, "services", ".reeve", "gone"))).toBe(false);
  });
});
