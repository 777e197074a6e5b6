/** What is seen of a real Docker engine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openBench } from "../../../../tests/harness/bench.ts";
import { startDocker, type TestDocker } from "../../../../tests/harness/docker.ts";
import { until as untilWithin } from "../../../../tests/harness/until.ts";
import { needs } from "../../../../tools/components.ts";
import { type Engine, openEngine } from "./engine.ts";
import { EngineAway } from "./socket.ts";

/** Containers take their time on a busy machine. */
const until: typeof untilWithin = (what, ask) => untilWithin(what, ask, 60_000);

describe("an engine", needs("docker"), () => {
  const bench = openBench(afterAll);
  let docker: TestDocker;
  let engine: Engine;

  beforeAll(async () => {
    docker = await startDocker(bench);
    engine = openEngine(docker.env.DOCKER_HOST);
    bench.keep({ end: () => engine.close() });
    await docker.image("web:1");
  });

  /** `docker compose` for a project with one service `web`; removed with the test. */
  function project(name: string, more = ""): (...args: string[]) => Promise<string> {
    const folder = join(bench.folder(), name);
    mkdirSync(folder);
    writeFileSync(join(folder, "compose.yaml"), `services:\n  web:\n    image: web:1\n${more}`);
    const compose = (...args: string[]) =>
      docker.run("docker", "compose", "--file", join(folder, "compose.yaml"), ...args);
    onTestFinished(async () => void (await compose("down", "--timeout", "0")));
    return compose;
  }

  /** Starts to hear; what was heard so far, after the first word, which says that anything may have changed. */
  async function hear(): Promise<(string | undefined)[]> {
    const heard: (string | undefined)[] = [];
    const watch = engine.watch((changed) => heard.push(changed));
    onTestFinished(() => watch.close());
    await until("the watch to begin", () => heard.includes(undefined));
    heard.splice(0);
    return heard;
  }

  const only = async (name: string) => {
    const [container, ...others] = await engine.containers(name);
    if (container === undefined || others.length > 0) throw new Error("not one container");
    return container;
  };

  test("tells all of a project's containers, of no other project, whether they run or not", async () => {
    const shop = project("shop", `    ports: ["127.0.0.1:8080:80"]\n    restart: unless-stopped\n`);
    await shop("up", "--detach", "--wait", "--scale", "web=1");
    await project("other")("up", "--detach");
    expect(await engine.containers("nobody")).toEqual([]);
    expect(await only("shop")).toMatchObject({
      ...{ name: "shop-web-1", project: "shop", service: "web", oneoff: false, image: "web:1" },
      ...{ state: "running", health: "healthy", restarts: 0, restartPolicy: "unless-stopped" },
      ...{ ports: ["127.0.0.1:8080->80/tcp"], imageId: expect.stringMatching(/^sha256:/) },
      ...{ configHash: expect.stringMatching(/^[0-9a-f]{64}$/), startedAt: expect.stringMatching(/^20/) },
    });
    await shop("kill");
    expect(await only("shop")).toMatchObject({ state: "exited", exitCode: 137, ports: [] });
    expect(await engine.hasImage("web:1")).toBe(true);
    expect(await engine.hasImage("web:2")).toBe(false);
    expect(await engine.hasImage("registry.example/a/b:2")).toBe(false);
  });

  test("tells of what happens to a project, and what is asked then is never from before", async () => {
    const heard = await hear();
    const compose = project("shop");
    await compose("create");
    await until("news of it", () => heard.includes("shop"));
    expect(await only("shop")).toMatchObject({ state: "created", startedAt: "" });
    await compose("start");
    await until("health", async () => (await only("shop")).health === "healthy");
    const before = await only("shop");
    await docker.run("docker", "restart", "--time", "0", "shop-web-1");
    await until("a later start", async () => (await only("shop")).startedAt > before.startedAt);
    await docker.run("docker", "exec", "shop-web-1", "touch", "/sick");
    await until("bad health", async () => (await only("shop")).health === "unhealthy");
    heard.splice(0);
    await compose("down", "--timeout", "0");
    await until("news of its end", () => heard.includes("shop"));
    await until("nothing", async () => (await engine.containers("shop")).length === 0);
  });

  test("looks closely only at what has changed", async () => {
    await project("shop")("up", "--detach", "--wait");
    await hear();
    await until("the same as before", async () => {
      const before = await only("shop");
      return before === (await only("shop"));
    });
    await docker.run("docker", "kill", "shop-web-1");
    expect(await only("shop")).toMatchObject({ state: "exited" });
  });

  test("counts what the engine started again by itself", async () => {
    await project("crashes", `    restart: always\n    command: ["sh", "-c", "exit 3"]\n`)("up", "--detach");
    await hear();
    await until("restarts", async () => (await only("crashes")).restarts > 1);
  });

  test("says that it is away, and tells when it is back", async () => {
    const heard = await hear();
    await docker.kill();
    await until("word of the loss", () => heard.includes(undefined));
    await expect(engine.containers("shop")).rejects.toThrow(EngineAway);
    await expect(engine.containers("shop")).rejects.toThrow(/^Docker does not answer at .*docker\.sock: /);
    heard.splice(0);
    await docker.start();
    await until("word of its return", () => heard.includes(undefined));
    expect(await engine.containers("shop")).toEqual([]);
  });
});
