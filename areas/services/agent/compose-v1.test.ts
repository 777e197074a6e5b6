/** The keeper with the Compose of before, docker-compose v1, which many machines still have. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keeper } from "@reeve/agent";
import { openKeeping } from "@reeve/agent/keepers/testing";
import { expect, onTestFinished, test } from "vitest";
import { openBench } from "../../../tests/harness/bench.ts";
import { startDocker } from "../../../tests/harness/docker.ts";
import { until } from "../../../tests/harness/until.ts";
import { needs } from "../../../tools/components.ts";
import { packBundle } from "../kinds/bundle.ts";
import { openCompose } from "./compose.ts";
import { serviceKeeper } from "./keeper.ts";

test("docker-compose v1 deploys, goes back, repairs, adopts and removes", {
  ...needs("docker", "composeV1"),
  timeout: 300_000,
}, async () => {
  const bench = openBench(onTestFinished);
  const docker = await startDocker(bench);
  for (const image of ["web:1", "web:2"]) await docker.image(image);
  const folder = bench.folder("reeve-agent-");
  const bundles = new Map<string, Buffer>();
  const place = { host: docker.env.DOCKER_HOST, config: docker.env.DOCKER_CONFIG };
  const keeper = serviceKeeper(place, openCompose(place, [["docker-compose"]])) as Keeper;
  const keeping = await openKeeping({
    folder,
    keepers: [keeper],
    fetch: async (name) => bundles.get(name) ?? Buffer.alloc(0),
    report: () => {},
    log: () => {},
  });
  onTestFinished(() => keeping.close());
  const inside = { signal: new AbortController().signal, stdout: () => {}, stderr: () => {} };
  const uids = { web: "00000000-0000-4000-8000-000000000001", old: "00000000-0000-4000-8000-000000000002" };

  function order(project: "web" | "old", generation: number, text: string, more: object = {}) {
    const content = packBundle({ "docker-compose.yml": text, "conf/app.conf": `generation ${generation}\n` });
    const bundle = createHash("sha256").update(content).digest("hex");
    bundles.set(`services/bundles/${bundle}`, Buffer.from(content));
    const spec = {
      project,
      compose: ["docker-compose.yml"],
      bundle,
      environment: {},
      state: "running",
      ...more,
    };
    return { uid: uids[project], name: project, generation, spec, gateMs: 120_000 };
  }
  const web = (image: string, health = "") => `version: "3.8"
services:
  web:
    image: ${image}
    ports: ["8080:80"]
    environment: { HEALTH: "${health}" }
    volumes: ["./conf:/conf:ro", "./data:/data"]
`;
  const ids = (project: string) =>
    docker.run("docker", "ps", "-aq", "--filter", `label=com.docker.compose.project=${project}`);
  const version = () => docker.get(8080, "/version");

  expect(await keeper.capabilities?.()).toEqual([
    expect.stringMatching(/^docker-compose 1\.\d+\.\d+/),
    expect.stringMatching(/^Docker \d+\./),
  ]);
  expect(await keeping.keep("Service", order("web", 1, web("web:1")), inside)).toMatchObject({
    outcome: "succeeded",
  });
  expect(await version()).toBe("web:1");
  const bad = await keeping.keep("Service", order("web", 2, web("web:2", "fail")), inside);
  expect(bad.why).toMatch(/is unhealthy; generation 1 is kept again/);
  expect(await version()).toBe("web:1");
  await docker.run("docker", "rm", "-f", "web_web_1");
  await until("what was removed to be back", async () => (await version()) === "web:1", 120_000);

  // What runs already, with its .env and its data where they are.
  const before = join(bench.folder("reeve-before-"), "old");
  mkdirSync(before);
  const old =
    'services:\n  web:\n    image: web:1\n    environment: { A: "${A}" }\n    volumes: ["./data:/data"]\n';
  writeFileSync(join(before, "docker-compose.yml"), old);
  writeFileSync(join(before, ".env"), "A=sesame\n");
  await docker.run(
    "docker-compose",
    "--project-directory",
    before,
    "-f",
    join(before, "docker-compose.yml"),
    "up",
    "-d",
  );
  const found = await ids("old");
  const adopted = await keeping.keep("Service", order("old", 1, old, { folder: before }), inside);
  expect(adopted, adopted.why).toMatchObject({ outcome: "succeeded" });
  expect(await ids("old")).toBe(found);
  expect(readFileSync(join(before, "docker-compose.yml"), "utf8")).toBe(old);

  for (const one of [order("web", 1, web("web:1")), order("old", 1, old, { folder: before })])
    expect(await keeping.letGo("Service", one, inside)).toMatchObject({ outcome: "succeeded" });
  expect([await ids("web"), await ids("old")]).toEqual(["", ""]);
  expect(readdirSync(before).sort()).toEqual([".env", "conf", "data", "docker-compose.yml"]);
});
