/** From a push to a container that serves: a real repository, a real engine. */
import { createHmac } from "node:crypto";
import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { serveGit, type TestRepository, testRepository } from "@reeve/git/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { type DockerHosts, openDockerHosts } from "../harness/docker-hosts.ts";
import { until } from "../harness/until.ts";

const patienceMs = 120_000;
const fixtures = join(import.meta.dirname, "../../areas/services/control/encrypted/fixtures");
const fixture = (name: string) => readFileSync(join(fixtures, name), "utf8");
const acme = "/api/v1/organizations/acme";
const compose = (image: string, more = "") =>
  `services:\n  web:\n    image: ${image}\n    ports: ["8101:80"]\n${more}`;

describe("services from Git", { ...needs("docker"), timeout: 300_000 }, () => {
  const bench = openBench(afterAll);
  const keep = (end: () => void) => bench.keep({ end });
  let world: DockerHosts;
  let repository: TestRepository;

  beforeAll(async () => {
    world = await openDockerHosts(bench, 1);
    repository = testRepository(keep);
    const { url } = await serveGit(repository.root, keep);
    await put("secrets", "Secret", "git", {});
    const set = await world.api.call("POST", `${acme}/secrets/git/actions/set`, {
      body: { values: { hook: "hush", age: fixture("identity.txt") } },
    });
    expect(set.status, set.text).toBe(200);
    const push = { secret: { secretRef: { name: "git", key: "hook" } } };
    const decryption = { identity: { secretRef: { name: "git", key: "age" } } };
    const spec = { git: { url, ref: "main" }, every: "1h", push, decryption };
    await put("repositories", "Repository", "apps", spec);
    const source = { repository: "apps", folder: "web", autoDeploy: true };
    await world.apply("web", { hosts: { names: ["web-1"] }, source });
  });

  async function put(plural: string, kind: string, name: string, spec: object): Promise<void> {
    const body = { apiVersion: "reeve/v1", kind, metadata: { scope: "acme", name }, spec };
    const { status, text } = await world.api.call("PUT", `${acme}/${plural}/${name}`, { body });
    expect(status, text).toBe(201);
  }

  /** Pushes, and tells of it as Git hosts do. */
  async function push(files: Record<string, string>, more: { force?: boolean } = {}): Promise<string> {
    const revision = repository.push(files, more);
    const body = { ref: "refs/heads/main" };
    const signature = createHmac("sha256", "hush").update(JSON.stringify(body)).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}` };
    const told = await world.api.call("POST", "/api/v1/repository-pushes/acme/apps", { body, headers });
    expect(told.status, told.text).toBe(200);
    return revision;
  }

  const version = () => world.hosts[0].docker.get(8101, "/version");
  const serves = (image: string) =>
    until(`${image} to serve`, async () => (await version()) === image, patienceMs);
  const runs = (revision: string) =>
    until(
      `revision ${revision} to be seen`,
      async () => (await world.service("web")).status.instances?.[0]?.revision === revision,
      patienceMs,
    );
  const said = async (path: string, type: string): Promise<string> => {
    const { body } = await world.api.call("GET", `${acme}/${path}`);
    return body.status?.conditions?.find((one: { type: string }) => one.type === type)?.message ?? "";
  };

  test("the first push is deployed, and so is the next, by themselves", async () => {
    const first = await push({ "web/compose.yaml": compose("web:1") });
    await serves("web:1");
    await runs(first);
    const second = await push({ "web/compose.yaml": compose("web:2") });
    await serves("web:2");
    await runs(second);
  });

  test("what is encrypted in Git is plain in the container, and on the host for nobody else", async () => {
    const [{ docker, agent }] = world.hosts;
    const more = `    env_file: [app.env]\n    volumes: ["./token:/token:ro"]\n`;
    const files = { "web/app.env": fixture("app.env"), "web/token.age": fixture("armored.age") };
    const revision = await push({ ...files, "web/compose.yaml": compose("web:2", more) });
    const inside = (...args: string[]) => docker.run("docker", "exec", "web-web-1", ...args);
    const token = () => inside("cat", "/token").catch(() => "");
    await until("the token", async () => (await token()).includes('with "quotes"'), patienceMs);
    await runs(revision);
    expect(await inside("env")).toContain("PASSWORD=hunter2=and#more\n");
    const live = join(agent.data, "services", "web");
    for (const name of ["app.env", "token"]) expect(statSync(join(live, name)).mode & 0o777).toBe(0o600);
    expect(repository.git("show", "HEAD:web/app.env")).not.toContain("hunter2");
  });

  test("a bad Compose file is refused with file and line, and what serves goes on", async () => {
    await push({ "web/compose.yaml": compose("web:1", "    build: .\n") });
    await until(
      "the refusal",
      async () => /^compose\.yaml:5:5: images are not built/.test(await said("services/web", "Source")),
      patienceMs,
    );
    expect(await version()).toBe("web:2");
  });

  test("history that was rewritten is followed; a repository that is gone leaves what serves alone, and it can be deployed", async () => {
    repository.git("reset", "--quiet", "--hard", "HEAD~2");
    const revision = await push({ "web/compose.yaml": compose("web:1"), "web/note": "x" }, { force: true });
    await serves("web:1");
    await runs(revision);
    expect(await said("repositories/apps", "Fetched")).toContain("its history was rewritten");
    const bare = join(repository.root, "flows.git");
    renameSync(bare, `${bare}.away`);
    await world.api.call("POST", `${acme}/repositories/apps/actions/fetch`, { body: {} });
    await until(
      "the repository to be missed",
      async () => (await said("repositories/apps", "Fetched")).includes(`revision ${revision}`),
      patienceMs,
    );
    expect(await version()).toBe("web:1");
    expect(await world.ended(await world.deploy("web"))).toMatchObject({ state: "succeeded" });
  });
});
