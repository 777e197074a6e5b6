import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webhookReceiver } from "../../apps/server/testing-receivers.ts";
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
      REEVE_NOTIFY_NETWORKS: "127.0.0.0/8",
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

  test("a generation that does not become healthy gives way by itself to the one before, with the reason and the time, and people are told", async () => {
    const hook = await webhookReceiver();
    const tells = [{ on: ["deploy-failed", "service-degraded"] }];
    const spec = { type: "slack", url: hook.url, tells };
    expect(
      await apply(
        JSON.stringify({
          apiVersion: "reeve/v1",
          kind: "Channel",
          metadata: { scope: "acme", name: "ops" },
          spec,
        }),
      ),
    ).toMatchObject({ code: 0 });
    const told = () => hook.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
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
    await soon("people to be told of it", async () => told().length === 1);
    expect(told()[0]).toMatch(/^acme: service gate could not be deployed\n.*is kept again, after [\d.]+ s\n/);
    await deployed("gate", { port: 8002, image: "web:2" });
    await soon("people to be told that it is over", async () => told().length === 2);
    expect(told()[1]).toMatch(/^acme: service gate is deployed again\nIt took /);
  });

  test("a template is shown, rehearsed and used by its inputs, and its password is generated", async () => {
    expect((await cli(["template", "show", "postgres"])).stdout).toMatch(/^port +integer +5432 /m);
    const use = ["template", "use", "postgres", "--name", "db", "--hosts", "web-1", "-i", "port=5433"];
    const rehearsed = await cli([...use, "--dry-run"]);
    expect(rehearsed.stdout).toMatch(/^kind: Secret$.*^---$.*^kind: Service$/ms);
    expect(rehearsed.stdout).toContain('PORT: "5433"');
    const used = await cli(use);
    expect(used, used.stderr).toMatchObject({ code: 0, stdout: "secret/db created\nservice/db created\n" });
    // What was printed is what was applied.
    expect((await apply(rehearsed.stdout)).stdout).toMatch(/db unchanged.*db unchanged/s);
    await soon("the password to be there", async () =>
      /password/.test((await cli(["get", "secret", "db"])).stdout),
    );
    const wrong = await cli([...use, "-i", "port=much"]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain("/inputs/port");
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

  test("a project that ran before Reeve becomes a service without a container or a file being touched", async () => {
    const folder = bench.folder("reeve-before-");
    const file = join(folder, "compose.yaml");
    const compose = (image: string) => `services:
  web:
    image: ${image}
    ports: ["8007:80"]
    env_file: .env
    environment: { GREETING: "\${GREETING}" }
    volumes: ["./data:/data"]
  db: { image: "web:1", command: ["sh", "-c", "echo here; exec httpd -f -p 80 -h /www"] }
`;
    writeFileSync(file, compose("web:1"));
    writeFileSync(join(folder, ".env"), "GREETING=hello\nDB_PASSWORD=canary-4Zk\n");
    await docker.run("docker", "compose", "-p", "found", "-f", file, "up", "-d");
    await docker.run("docker", "compose", "-p", "alone", "-f", file, "up", "-d", "db");
    writeFileSync(join(folder, "data", "kept"), "for ever");
    const ids = () => containersOf("found").then((text) => text.split("\n").sort());
    const before = await ids();

    expect((await cli(["adopt", "web-1"])).stdout).toMatch(/^found +\S+ +found-db-1 \(running\)/m);
    const told = await cli(["adopt", "web-1", "found", "--dry-run"]);
    expect(told.stdout).toMatch(/^found-web-1 goes on as it is$/m);
    expect(told.stdout).toContain("DB_PASSWORD, GREETING");
    expect(told.stdout + told.stderr).not.toContain("canary-4Zk");
    expect((await cli(["adopt", "web-1", "found"])).code).toBe(1);
    expect(await cli(["secret", "set", "found", "--env-file", join(folder, ".env")])).toMatchObject({
      code: 0,
    });
    const said = await cli(["adopt", "web-1", "found", "--yes", "--secret", "found"]);
    expect(said.stdout).toMatch(/^DB_PASSWORD, GREETING come from the Secret, whatever .env says$/m);
    expect(said, said.stdout + said.stderr).toMatchObject({ code: 0 });
    expect(await ids()).toEqual(before);
    await soon("it to be seen", async () => {
      const { instances, deployed } = await statusOf("found");
      return instances?.[0]?.state === "running" && deployed === 1;
    });
    expect((await cli(["adopt", "web-1"])).stdout).not.toContain("found");
    await soon("its log", async () => /here/.test((await cli(["logs", "service/found"])).stdout));
    expect((await cli(["exec", "found", "--container", "db", "--", "echo", "in"])).stdout).toBe("in\n");

    const { body } = await api.call("GET", "/api/v1/organizations/acme/services/found");
    expect(JSON.stringify(body)).not.toContain("canary-4Zk");
    writeFileSync(join(folder, ".env"), "GREETING=not from here\n");
    const files = { "compose.yaml": compose("web:2") };
    const spec = { ...body.spec, files };
    await api.call("PUT", "/api/v1/organizations/acme/services/found", { body: { spec } });
    expect(await cli(["deploy", "found"])).toMatchObject({ code: 0 });
    expect(await docker.get(8007, "/version")).toBe("web:2");
    const inside = await docker.run("docker", "exec", "found-web-1", "env");
    expect(inside).toMatch(/^GREETING=hello$/m);
    expect((await ids()).filter((id) => before.includes(id))).toHaveLength(1);
    await docker.run("docker", "rm", "-f", "found-db-1");
    await soon("what was lost to be back", async () => (await ids()).length === 2);

    expect(await cli(["delete", "service/found", "--yes"])).toMatchObject({ code: 0 });
    await soon("it to be gone", async () => (await containersOf("found")) === "");
    expect(readdirSync(folder).sort()).toEqual([".env", "compose.yaml", "data"]);
    expect(readFileSync(join(folder, "data", "kept"), "utf8")).toBe("for ever");
    expect((await containersOf("alone")).split("\n")).toHaveLength(1);

    const outside = bench.folder("reeve-outside-");
    writeFileSync(join(outside, "more.yaml"), "services: { more: { image: 'web:1' } }\n");
    const both = ["-f", file, "-f", join(outside, "more.yaml")];
    await docker.run("docker", "compose", "-p", "wide", ...both, "up", "-d", "more");
    const refused = await cli(["adopt", "web-1", "wide"]);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("lies outside of") });
  });

  test("what a host has beside its services is shown, and only what was shown and is still of no use is removed", async () => {
    await docker.image("junk:1");
    for (const volume of ["idle", "taken"]) await docker.run("docker", "volume", "create", volume);
    await docker.run("docker", "network", "create", "lonely");
    const storage = async () => (await cli(["storage", "web-1"])).stdout;
    expect(await storage()).toMatch(/^image +web:1 +[\d.]+ \S+iB +\S+ .*containers use it$/m);
    expect(await storage()).toMatch(/^volume +idle .*with --named +it holds data$/m);
    const dry = await cli(["prune", "web-1", "--all", "--named", "junk:1", "--named", "idle", "--dry-run"]);
    expect(dry.stdout).toMatch(/^image +junk:1 /m);
    expect(dry.stdout).toMatch(/^network +lonely /m);
    expect(dry.stdout).not.toMatch(/taken|web:/);
    expect(await storage()).toContain("lonely");

    const names = ["--named", "junk:1", "--named", "idle"];
    const done = await cli(["prune", "web-1", "--all", ...names, "--yes"]);
    expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed [3-9]/m) });
    expect(await storage()).not.toMatch(/junk|idle|lonely/);
    expect(await storage()).toMatch(/^volume +taken /m);

    await docker.run("docker", "run", "-d", "--name", "user", "-v", "taken:/data", "web:1");
    const items = [
      { kind: "volume", id: "taken" },
      { kind: "volume", id: "idle" },
    ];
    const { body } = await api.call("POST", "/api/v1/hosts/web-1/prune", { body: { items } });
    expect(body).toEqual({
      removed: [],
      left: [
        { kind: "volume", name: "taken", why: "containers use it" },
        { kind: "volume", name: "idle", why: "it is gone already" },
      ],
    });
    const audit = await api.call("GET", "/api/v1/audit?kind=Host&operation=prune-end");
    expect(audit.body.items).toHaveLength(2);
  });

  test("images are pulled from a registry with the credentials of a Connection, which are on no disk", async () => {
    const password = "canary-7hWq";
    const image = "127.0.0.1:5000/private/web:1";
    await docker.registry(5000, "robot", password, [{ from: "web:1", as: "private/web:1" }]);
    const acme = "/api/v1/organizations/acme";
    const put = async (path: string, spec: object) =>
      expect((await api.call("PUT", `${acme}/${path}`, { body: { spec } })).status).toBeLessThan(300);
    const setTo = (value: string) =>
      api.call("POST", `${acme}/secrets/hub/actions/set`, { body: { values: { password: value } } });
    await put("secrets/hub", {});
    expect((await setTo("wrong")).status).toBe(200);
    await put("connections/hub", {
      ...{ type: "registry", url: "http://127.0.0.1:5000", user: "robot" },
      password: { secretRef: { name: "hub", key: "password" } },
    });
    const files = { "compose.yaml": `services: { web: { image: "${image}", ports: ["8008:80"] } }` };
    const spec = { hosts: { names: ["web-1"] }, files };
    await put("services/private", { ...spec, registries: ["nowhere"] });
    expect((await cli(["deploy", "private"])).stderr).toContain("no Connection nowhere of the type registry");
    await put("services/private", { ...spec, registries: ["hub"] });
    const refused = await cli(["deploy", "private"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toContain(`${image} cannot be pulled`);
    await setTo(password);
    const said = await cli(["deploy", "private"]);
    expect(said, said.stdout + said.stderr).toMatchObject({ code: 0 });
    expect(await docker.get(8008, "/version")).toBe("web:1");
    expect(said.stdout).not.toContain(password);
    for (const folder of [agent.data, docker.env.DOCKER_CONFIG ?? ""])
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (entry.isFile())
          expect(readFileSync(join(entry.parentPath, entry.name)).includes(password), entry.name).toBe(false);
    expect((await cli(["storage", "web-1"])).stdout).toContain(image);
  });
});
