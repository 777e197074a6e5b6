/** The engines that stories of services run on: they start, run Compose projects beside each other, and are gone after. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Bench, openBench } from "../harness/bench.ts";
import { startDocker, type TestDocker } from "../harness/docker.ts";
import { bareEnvironment, run } from "../harness/processes.ts";
import { until } from "../harness/until.ts";

describe("engines for tests", needs("docker"), () => {
  test("two beside each other run a project with a health check on the same port, each its own version", async () => {
    const bench = openBench(onTestFinished);
    const engines = await Promise.all([startDocker(bench), startDocker(bench)]);
    for (const [index, docker] of engines.entries()) {
      await docker.image(`web:${index}`);
      await docker.run("docker", ...compose(bench, `web:${index}`), "up", "--detach", "--wait");
    }
    for (const [index, docker] of engines.entries()) {
      expect(await docker.get(8080, "/version")).toBe(`web:${index}`);
      expect(await health(docker)).toBe("healthy");
    }
    const [docker] = engines;
    if (docker === undefined) throw new Error("no engine");
    await docker.run("docker", "exec", "shop-web-1", "touch", "/sick");
    await until("the container to be unhealthy", async () => (await health(docker)) === "unhealthy", 60_000);
  });

  test("what is told to fail its health check does not get healthy", async () => {
    const bench = openBench(onTestFinished);
    const docker = await startDocker(bench);
    await docker.image("web:1");
    const args = compose(bench, "web:1", "    environment: { HEALTH: fail }\n");
    await expect(docker.run("docker", ...args, "up", "--detach", "--wait")).rejects.toThrow(/unhealthy/);
  });

  test("one that is killed starts again, and so do its containers that shall always run", async () => {
    const bench = openBench(onTestFinished);
    const docker = await startDocker(bench);
    await docker.image("web:1");
    await docker.run(
      "docker",
      ...compose(bench, "web:1", "    restart: always\n"),
      "up",
      "--detach",
      "--wait",
    );
    await docker.kill();
    await expect(docker.run("docker", "ps")).rejects.toThrow(/Cannot connect/);
    await docker.start();
    await until("the container to be back", async () => (await health(docker)) === "healthy", 60_000);
    expect(await docker.get(8080, "/version")).toBe("web:1");
  });

  test("the Compose of before", needs("composeV1"), async () => {
    const bench = openBench(onTestFinished);
    const docker = await startDocker(bench);
    await docker.image("web:1");
    const [, ...args] = compose(bench, "web:1");
    await docker.run("docker-compose", ...args, "up", "--detach");
    // It does not wait for what it has started.
    await until("it to serve", async () => (await docker.get(8080, "/version")) === "web:1");
  });

  test("nothing of an engine is left, neither processes nor files nor control groups", async () => {
    const ends: (() => Promise<void>)[] = [];
    const bench = openBench((end) => ends.push(end));
    const docker = await startDocker(bench);
    await docker.image("web:1");
    await docker.run("docker", ...compose(bench, "web:1"), "up", "--detach", "--wait");
    const folder = dirname(docker.socket);
    expect(traces(folder)).toContain("dockerd");
    expect(traces(folder)).toContain("/sys/fs/cgroup");
    for (const end of ends) await end();
    expect(traces(folder)).toBe("");
  });

  test("nor when the test itself is killed", async () => {
    const harness = join(import.meta.dirname, "..", "harness");
    const program = `
      import { openBench } from ${JSON.stringify(join(harness, "bench.ts"))};
      import { startDocker } from ${JSON.stringify(join(harness, "docker.ts"))};
      console.log((await startDocker(openBench(() => {}))).socket);
      setInterval(() => {}, 1000);`;
    const running = run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: openBench(onTestFinished).folder(),
      env: bareEnvironment,
    });
    const socket = await until(
      "the engine to start",
      () => /^.*docker\.sock$/m.exec(running.stdout())?.[0],
      60_000,
    );
    running.kill("SIGKILL");
    await until("its engine to be gone", () => traces(dirname(socket)) === "", 60_000);
  });
});

/** The arguments of `docker` for a project `shop` with a service `web`. */
function compose(bench: Bench, image: string, more = ""): string[] {
  const folder = join(bench.folder(), "shop");
  mkdirSync(folder);
  const file = join(folder, "compose.yaml");
  writeFileSync(file, `services:\n  web:\n    image: ${image}\n    ports: ["8080:80"]\n${more}`);
  return ["compose", "--file", file];
}

function health(docker: TestDocker): Promise<string> {
  return docker.run("docker", "inspect", "--format", "{{.State.Health.Status}}", "shop-web-1");
}

/** What there still is of an engine, which carries its folder's name everywhere. */
function traces(folder: string): string {
  const processes = globSync("/proc/[0-9]*/cmdline").map(readIfThere);
  const files = globSync([`/sys/fs/cgroup/{,*/}${basename(folder)}`, folder]);
  return [...processes.filter((one) => one.includes(folder)), ...files].join("\n");
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
