/** Services on several hosts, each with an engine of its own, and over many deploys. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { type DockerHosts, openDockerHosts } from "../harness/docker-hosts.ts";
import { openWatch } from "../harness/event-stream.ts";
import { until } from "../harness/until.ts";

describe("services on hosts", { ...needs("docker"), timeout: 300_000 }, () => {
  const bench = openBench(afterAll);
  let world: DockerHosts;

  beforeAll(async () => {
    world = await openDockerHosts(bench, 2);
  });

  interface Kept {
    readonly generation?: number;
    readonly trying?: number;
  }

  interface Shop {
    readonly image: string;
    readonly hosts?: readonly string[];
    readonly health?: string;
    /** A file beside the Compose file that no container mounts. */
    readonly note?: string;
  }

  async function begin(name: string, port: number, shop: Shop): Promise<string> {
    const { image, hosts = ["web-1", "web-2"], health = "", note = "" } = shop;
    const web = { image, ports: [`${port}:80`], environment: { HEALTH: health }, volumes: ["./data:/data"] };
    const files = { note, "compose.yaml": JSON.stringify({ services: { web } }) };
    await world.apply(name, { hosts: { names: hosts }, files });
    return world.deploy(name);
  }

  const deploy = async (name: string, port: number, shop: Shop) => world.ended(await begin(name, port, shop));

  const answers = (port: number) =>
    Promise.all(world.hosts.map(({ docker }) => docker.get(port, "/version")));

  /** What the hosts answered again and again while something was done. */
  async function answersDuring<T>(port: number, work: Promise<T>): Promise<[T, (string | undefined)[][]]> {
    const seen: (string | undefined)[][] = [];
    let over = false;
    const watching = (async () => {
      while (!over) {
        seen.push(await answers(port));
        await sleep(20);
      }
    })();
    const done = await work.finally(() => {
      over = true;
    });
    await watching;
    return [done, seen];
  }

  test("two hosts are updated one after the other: one of them serves at any time", async () => {
    expect(await deploy("rolling", 8001, { image: "web:1" })).toMatchObject({ state: "succeeded" });
    expect(await answers(8001)).toEqual(["web:1", "web:1"]);
    const [ended, seen] = await answersDuring(8001, deploy("rolling", 8001, { image: "web:2" }));
    expect(ended).toMatchObject({ state: "succeeded" });
    expect(await answers(8001)).toEqual(["web:2", "web:2"]);
    expect(seen.filter((both) => both.every((one) => one === undefined))).toEqual([]);
    expect(seen, "halfway").toContainEqual(["web:2", "web:1"]);
    expect(seen, "the order of the hosts").not.toContainEqual(["web:1", "web:2"]);
  });

  test("a generation that fails on the first host goes back there and never reaches the second", async () => {
    expect(await deploy("gate", 8002, { image: "web:1" })).toMatchObject({ state: "succeeded" });
    const [ended, seen] = await answersDuring(8002, deploy("gate", 8002, { image: "web:2", health: "fail" }));
    expect(ended.state).toBe("failed");
    expect(await answers(8002)).toEqual(["web:1", "web:1"]);
    expect(seen.map(([, second]) => second).filter((one) => one !== "web:1")).toEqual([]);
    await until(
      "both hosts to be seen with the generation before",
      async () => {
        const { instances } = (await world.service("gate")).status;
        return instances.every(({ generation, trying }: Kept) => generation === 1 && trying === undefined);
      },
      60_000,
    );
  });

  test("a service that leaves a host is gone there and goes on elsewhere", async () => {
    expect(await deploy("leaves", 8003, { image: "web:1" })).toMatchObject({ state: "succeeded" });
    const [ended, seen] = await answersDuring(
      8003,
      deploy("leaves", 8003, { image: "web:1", hosts: ["web-2"] }),
    );
    expect(ended).toMatchObject({ state: "succeeded" });
    expect(await answers(8003)).toEqual([undefined, "web:1"]);
    expect(seen.map(([, second]) => second).filter((one) => one !== "web:1")).toEqual([]);
  });

  test("who follows the log hears a host that came later; a host that is silent when it is left is rid of it later", async () => {
    const speak = { image: "web:1", command: ["sh", "-c", "echo here; exec httpd -f -p 80 -h /www"] };
    const files = { "compose.yaml": JSON.stringify({ services: { web: { ...speak, ports: ["8005:80"] } } }) };
    const deployTo = async (names: readonly string[]) => {
      await world.apply("owed", { hosts: { names }, files });
      expect(await world.ended(await world.deploy("owed"))).toMatchObject({ state: "succeeded" });
    };
    await deployTo(["web-1"]);
    const { api, hosts } = world;
    const path = "/api/v1/organizations/acme/services/owed/logs?follow=true";
    const watch = await openWatch(api.url, api.token, path);
    await deployTo(["web-1", "web-2"]);
    const heard = (host: string) =>
      watch.events.some(({ event, data }) => event === "line" && data.host === host && data.text === "here");
    await until("both hosts to be heard", async () => heard("web-1") && heard("web-2"), 60_000);
    watch.close();

    await hosts[1]?.agent.stop();
    await deployTo(["web-1"]);
    const told = async () => JSON.stringify((await world.service("owed")).status.conditions);
    await until(
      "what is owed to be told",
      async () => /goes from web-2 when its agent/.test(await told()),
      60_000,
    );
    expect(await answers(8005)).toEqual(["web:1", "web:1"]);
    hosts[1]?.agent.start();
    await until(
      "it to be gone from the host that is back",
      async () => (await answers(8005))[1] === undefined,
      120_000,
    );
    await until(
      "nothing to be owed any more",
      async () => {
        const { instances, owing } = (await world.service("owed")).status;
        return owing === undefined && instances.length === 1;
      },
      60_000,
    );
    expect(await answers(8005)).toEqual(["web:1", undefined]);
  });

  test("a restart goes from host to host; a container stopped through Reeve stays so, whatever else happens", async () => {
    const [{ docker, agent }, second] = world.hosts;
    const container = { image: "web:1", restart: "always" };
    const files = { "compose.yaml": JSON.stringify({ services: { web: container, side: container } }) };
    await world.apply("acts", { hosts: { names: ["web-1", "web-2"] }, files });
    expect(await world.ended(await world.deploy("acts"))).toMatchObject({ state: "succeeded" });
    const field = (what: string, name: string, on = docker) =>
      on.run("docker", "inspect", "--format", `{{${what}}}`, name);
    const startedAt = async () => {
      const both = world.hosts.map((one) => field(".State.StartedAt", "acts-web-1", one.docker));
      return (await Promise.all(both)).map((text) => Date.parse(text));
    };
    const [before] = await startedAt();
    expect(await world.ended(await world.act("acts", "restart"))).toMatchObject({ state: "succeeded" });
    const [one = 0, two = 0] = await startedAt();
    expect(one).toBeGreaterThan(before ?? 0);
    expect(two).toBeGreaterThan(one);

    const stop = { do: "stop", container: "acts-web-1" };
    await expect(world.act("acts", "container", stop)).rejects.toThrow("say which by `host`");
    const stopped = await world.act("acts", "container", { ...stop, host: "web-1" });
    expect(await world.ended(stopped)).toMatchObject({ state: "succeeded" });
    expect(await field(".State.Status", "acts-web-1")).toBe("exited");
    expect(await field(".State.Status", "acts-web-1", second?.docker)).toBe("running");

    // A repair of another container, and an engine that starts what is to run always, leave it stopped.
    await docker.run("docker", "rm", "--force", "acts-side-1");
    await agent.crash();
    await docker.kill();
    await docker.start();
    agent.start();
    const isSeen = (isStopped: boolean) =>
      until(
        isStopped ? "the override to be seen" : "the service to be seen whole",
        async () => {
          const { instances } = (await world.service("acts")).status;
          const { state, why, containers } = instances[0];
          const [side, web] = containers;
          return isStopped
            ? state === "degraded" &&
                /^acts-web-1 was stopped by user/.test(why) &&
                [side.state, web.state, web.stopped.by !== ""].join() === "running,exited,true"
            : state === "running" && web.state === "running" && web.stopped === undefined;
        },
        90_000,
      );
    await isSeen(true);
    const started = await world.act("acts", "container", { ...stop, do: "start", host: "web-1" });
    expect(await world.ended(started)).toMatchObject({ state: "succeeded" });
    await isSeen(false);

    // There is no registry here: what cannot be pulled says so, and nothing is touched.
    const [still] = await startedAt();
    expect(await world.ended(await world.act("acts", "pull"))).toMatchObject({ state: "failed" });
    expect((await startedAt())[0]).toBe(still);
  });

  test("an adopted service goes only to hosts where its project ran before; elsewhere it is refused, and nothing is touched", async () => {
    const folder = bench.folder("reeve-before-");
    const file = join(folder, "compose.yaml");
    const text = JSON.stringify({ services: { web: { image: "web:1", ports: ["8008:80"] } } });
    writeFileSync(file, text);
    const [one, two] = world.hosts;
    const bringUp = ({ docker }: typeof one) =>
      docker.run("docker", "compose", "-p", "before", "-f", file, "up", "--detach");
    const ids = () =>
      Promise.all(
        world.hosts.map(({ docker }) =>
          docker.run("docker", "ps", "-aq", "--filter", "label=com.docker.compose.project=before"),
        ),
      );
    const deployOn = async (names: readonly string[]) => {
      const files = { "compose.yaml": text };
      await world.apply("before", { project: "before", folder, files, hosts: { names } });
      return world.ended(await world.deploy("before"));
    };
    await bringUp(one);
    const before = await ids();
    expect(await deployOn(["web-1"])).toMatchObject({ state: "succeeded" });
    expect(await deployOn(["web-1", "web-2"])).toMatchObject({
      state: "failed",
      why: expect.stringMatching(
        /prepare-web-2.* lies in .* runs on this host.* take the host out of `hosts`/,
      ),
    });
    expect(await ids()).toEqual(before);
    // The same project in the same folder there is taken over too.
    await bringUp(two as typeof one);
    const both = await ids();
    expect(await deployOn(["web-1", "web-2"])).toMatchObject({ state: "succeeded" });
    expect(await ids()).toEqual(both);
    expect(both[0]).toBe(before[0]);
    expect(await answers(8008)).toEqual(["web:1", "web:1"]);
  });

  test("data beside the Compose file is the same after fifty deploys", async () => {
    const [{ docker, agent }] = world.hosts;
    expect(await deploy("data", 8004, { image: "web:1", hosts: ["web-1"] })).toMatchObject({
      state: "succeeded",
    });
    const folder = join(agent.data, "services", "data");
    const ledger = join(folder, "data", "ledger");
    writeFileSync(ledger, randomBytes(4 * 1024 ** 2));
    const digest = () => createHash("sha256").update(readFileSync(ledger)).digest("hex");
    const before = digest();
    for (let turn = 1; turn <= 5; turn++) {
      // All of them change files beside the data, the first also makes the container anew.
      const image = turn % 2 === 0 ? "web:1" : "web:2";
      const runs: string[] = [];
      for (let at = 1; at <= 10; at++)
        runs.push(await begin("data", 8004, { image, hosts: ["web-1"], note: `${turn}.${at}` }));
      for (const run of runs) expect(await world.ended(run)).toMatchObject({ state: "succeeded" });
      expect(readFileSync(join(folder, "note"), "utf8")).toBe(`${turn}.10`);
      expect(await docker.get(8004, "/version")).toBe(image);
      await docker.run("docker", "exec", "data-web-1", "touch", `/data/seen-${turn}`);
    }
    expect(digest()).toBe(before);
    expect((await docker.run("docker", "exec", "data-web-1", "ls", "/data")).split("\n")).toHaveLength(6);
  });
});
