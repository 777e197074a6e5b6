import { writeFileSync } from "node:fs";
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
import { startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** What people look at while services run: logs of containers, commands in them, shells on their host. */
describe("services live", { ...needs("docker"), timeout: 600_000 }, () => {
  const bench = openBench(afterAll);
  let docker: TestDocker;
  let agent: AgentProcess;
  let api: Api;
  let cli: Cli;

  const soon = <T>(what: string, ask: () => Promise<T | false | undefined>) => until(what, ask, 180_000);

  beforeAll(async () => {
    docker = await startDocker(bench);
    await docker.image("web:1");
    const postgres = await startPostgres(bench);
    const [port, agentPort] = [await freePort(), await freePort()];
    const server = await startServer(bench, {
      settings: {
        REEVE_DATABASE_URL: postgres.url(),
        REEVE_LISTEN: `127.0.0.1:${port}`,
        REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
      },
      data: join(bench.folder(), "data"),
    });
    api = await setUp(server.url, server.setupLink);
    const person = { REEVE_URL: server.url, REEVE_TOKEN: api.token ?? "", REEVE_SCOPE: "acme" };
    cli = openCli(bench, { ...person, COLUMNS: "160" });
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
    const file = join(cli.home, "service.yaml");
    writeFileSync(file, manifest);
    expect(await cli(["apply", "-f", file])).toMatchObject({ code: 0 });
    const said = await cli(["deploy", "talks"]);
    expect(said, said.stdout + said.stderr + agent.said()).toMatchObject({ code: 0 });
  });

  const logs = async (...more: string[]) => {
    const said = await cli(["logs", "service/talks", ...more]);
    expect(said, said.stderr).toMatchObject({ code: 0 });
    return said.stdout;
  };
  const linesOf = async (...more: string[]) => (await logs(...more)).trimEnd().split("\n");

  test("logs outlive their containers, by tail, since and container, and are followed from one to the next", async () => {
    await soon("two containers to speak", async () => {
      const said = await logs();
      return ["one", "two", "other"].every((word) => said.includes(word));
    });
    expect(await logs()).toMatch(/^talks-web-1 \| one$/m);
    expect(await logs("--container", "web")).not.toMatch(/other/);
    expect(await linesOf("--container", "talks-other-1", "--tail", "1")).toEqual(["talks-other-1 | other"]);

    const follower = cli.start(["logs", "service/talks", "--container", "web", "-f"]);
    await soon("what was there", async () => follower.stdout().includes("two"));
    const before = new Date().toISOString();
    await docker.run("docker", "restart", "-t", "0", "talks-web-1");
    const times = (text: string) => follower.stdout().split(` | ${text}\n`).length - 1;
    // Two streams, of which either may be told first.
    const said = async (count: number) => times("one") === count && times("two") === count;
    await soon("the same container to speak again", () => said(2));
    await docker.run("docker", "rm", "-f", "talks-web-1");
    await soon("the next container to speak", () => said(3));
    await follower.kill("SIGKILL");
    const all = await linesOf("--container", "web");
    expect(all.filter((line) => line.endsWith(" | one"))).toHaveLength(3);
    expect(
      (await linesOf("--container", "web", "--since", before)).filter((line) => / one$/.test(line)),
    ).toHaveLength(2);
    expect(await logs("--container", "nothing")).toBe("");
  });

  test("a command in a container has its streams, its input and its exit code, and with a terminal its size", async () => {
    const said = await cli(
      ["exec", "talks", "--container", "web", "--", "sh", "-c", "cat; echo bad >&2; exit 7"],
      {
        stdin: "typed\n",
      },
    );
    expect(said).toMatchObject({ code: 7, stdout: "typed\n", stderr: "bad\n" });
    // Its size comes a moment after its beginning.
    const untilSized = 'while [ "$(busybox stty size)" != "33 101" ]; do :; done; echo sized';
    const sized = cli.terminal(["exec", "talks", "--", "sh", "-c", untilSized], { rows: 33, columns: 101 });
    expect(await sized.ended, sized.stdout()).toMatchObject({ code: 0 });
    expect(sized.stdout()).toContain("sized\r");

    const foreign = await docker.run("docker", "run", "-d", "--name", "foreign", "web:1");
    for (const name of ["foreign", foreign, "other/../web"]) {
      const refused = await cli(["exec", "talks", "--container", name, "--", "ls"]);
      expect(refused).toMatchObject({ code: 255, stderr: expect.stringContaining("no container") });
    }
    const { body } = await api.call("GET", "/api/v1/audit?kind=Service&operation=exec");
    expect(body.items[0].detail).toMatchObject({ host: "web-1", command: ["ls"] });
    const ends = await api.call("GET", "/api/v1/audit?kind=Service&operation=exec-end");
    expect(ends.body.items.map((one: { detail: { exitCode?: number } }) => one.detail.exitCode)).toContain(7);
  });

  test("a shell on the host is of the agent's user, and the agent's end ends it with a sentence", async () => {
    const env = { REEVE_SCOPE: "" };
    const said = await cli(["shell", "web-1"], { env, stdin: "stty size; id -un; exit 3\n" });
    expect(said, said.stdout).toMatchObject({ code: 3, stdout: expect.stringMatching(/24 80\r\nroot/) });

    const shell = cli.start(["shell", "web-1"], { env });
    await soon("a prompt", async () => shell.stdout() !== "");
    await agent.crash();
    expect((await shell.ended).code).toBe(255);
    expect(shell.stderr()).toContain("the host's agent was lost");
    agent.start();
  });
});

const manifest = `apiVersion: reeve/v1
kind: Service
metadata: { scope: acme, name: talks }
spec:
  hosts: { names: [web-1] }
  files:
    compose.yaml: |
      services:
        web:
          image: web:1
          restart: always
          command: ["sh", "-c", "echo one; echo two >&2; exec httpd -f -p 80 -h /www"]
        other:
          image: web:1
          restart: always
          command: ["sh", "-c", "echo other; exec httpd -f -p 80 -h /www"]
`;
