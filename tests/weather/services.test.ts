/** kill -9 of agent, engine and server at every step of a deploy: each ends as one of its generations says, and only once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { type DockerHost, type DockerHosts, openDockerHosts } from "../harness/docker-hosts.ts";
import { until } from "../harness/until.ts";

const convergeMs = 90_000;

describe("services", { ...needs("docker"), timeout: 300_000 }, () => {
  const bench = openBench(afterAll);
  let world: DockerHosts;
  let host: DockerHost;
  let image = "web:1";

  beforeAll(async () => {
    world = await openDockerHosts(bench, 1);
    [host] = world.hosts;
    await world.apply("shop", spec(image));
    expect(await world.ended(await world.deploy("shop"))).toMatchObject({ state: "succeeded" });
  });

  function spec(image: string): object {
    // No ports: an engine that is killed while it gives one out may hold it for ever, and only the engine could mend that.
    const web = { image, restart: "always", volumes: ["./conf:/conf:ro", "./data:/data"] };
    return {
      hosts: { names: ["web-1"] },
      files: { "compose.yaml": JSON.stringify({ services: { web } }), "conf/version": image },
    };
  }

  const docker = (...args: string[]) => host.docker.run("docker", ...args);
  const ofProject = ["--filter", "label=com.docker.compose.project=shop"];
  const containers = async () =>
    (await docker("ps", "--all", ...ofProject, "--format", "{{.Image}} {{.Status}} {{.Names}}"))
      .split("\n")
      .filter((line) => line !== "");
  const isPlaced = () => {
    const file = join(host.agent.data, "services", "shop", "conf", "version");
    return readFileSync(file, "utf8") === image;
  };

  /** Points on the way of a deploy, each seen from outside; wherever exactly the kill then comes is fine. */
  const moments: Readonly<Record<string, () => Promise<boolean> | boolean>> = {
    "as soon as it is recorded": () => true,
    "when its files are in place": isPlaced,
    "when its container is made": async () => (await containers()).some((line) => line.startsWith(image)),
    "when its container runs": async () =>
      (await containers()).some((line) => line.startsWith(image) && line.includes("Up ")),
  };

  const victims: Readonly<Record<string, () => Promise<void>>> = {
    async agent() {
      await host.agent.crash();
      host.agent.start();
    },
    async engine() {
      await host.docker.kill();
      await host.docker.start();
    },
    async server() {
      await world.crashServer();
      await world.startServer();
    },
  };

  // A server comes back in ten seconds: it is killed where it has most to do, at the beginning and halfway.
  const cases = Object.keys(victims).flatMap((victim) =>
    Object.keys(moments)
      .filter((_, at) => victim !== "server" || at % 2 === 0)
      .map((moment) => [victim, moment] as const),
  );

  test.for(cases)("I7, I11: kill -9 of the %s %s", async ([victim, moment]) => {
    onTestFailed(() => console.error(host.agent.said().slice(-3000)));
    const before = image;
    image = before === "web:1" ? "web:2" : "web:1";
    await world.apply("shop", spec(image));
    const run = await world.deploy("shop");
    // Closely, because some of them pass in a few milliseconds.
    while (!(await moments[moment]?.())) await sleep(5);
    await victims[victim]?.();

    const { state, why } = await world.ended(run);
    // Only without its engine may a deploy fail, and then what was there before serves again.
    if (victim !== "engine") expect(`${state} ${why}`).toBe("succeeded ");
    if (state !== "succeeded") image = before;
    await until(
      `one healthy container of ${image}`,
      async () => {
        const all = await containers();
        // By its own name too: one that Compose could not rename any more is given it back when it runs.
        return (
          all.length === 1 && all[0]?.startsWith(`${image} Up`) && all[0].endsWith("(healthy) shop-web-1")
        );
      },
      convergeMs,
    );
    expect(isPlaced()).toBe(true);
    const version = ["exec", "shop-web-1", "wget", "-q", "-O", "-", "http://127.0.0.1/version"];
    expect(await docker(...version)).toBe(image);
    expect((await docker("network", "ls", "--quiet", ...ofProject)).split("\n")).toHaveLength(1);
    await until(
      "it to be seen",
      async () => {
        const { metadata, status } = await world.service("shop");
        const [instance] = status.instances;
        const kept = state === "succeeded" ? metadata.generation : instance.generation;
        return (
          status.observedGeneration === metadata.generation &&
          instance.generation === kept &&
          instance.trying === undefined &&
          instance.state === "running" &&
          instance.containers.length === 1 &&
          instance.containers[0].image === image
        );
      },
      convergeMs,
    );
  });
});
