import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Keeper, KeepOrder } from "@reeve/agent";
import { keeperConforms } from "@reeve/agent/keepers/testing";
import { afterAll } from "vitest";
import { openBench } from "../../../tests/harness/bench.ts";
import { startDocker } from "../../../tests/harness/docker.ts";
import { needs } from "../../../tools/components.ts";
import { packBundle } from "../kinds/bundle.ts";
import type { ServiceOrder } from "../kinds/kept.ts";
import { serviceKeeper } from "./keeper.ts";

const bench = openBench(afterAll);

const uid = "00000000-0000-4000-8000-000000000001";

keeperConforms(
  "services",
  async () => {
    const docker = await startDocker(bench);
    for (const image of ["web:1", "web:2"]) await docker.image(image);
    const folder = bench.folder("reeve-agent-");
    const live = join(folder, "services", "web");
    const bundles = new Map<string, string>();

    function order(generation: number, image: string, health = "") {
      const compose = `services:
  web:
    image: ${image}
    ports: ["8080:80"]
    environment: { HEALTH: "\${HEALTH}" }
    volumes: ["./conf:/conf:ro", "./data:/data"]
`;
      const text = packBundle({ "compose.yaml": compose, "conf/app.conf": `generation ${generation}\n` });
      const digest = createHash("sha256").update(text).digest("hex");
      bundles.set(`services/bundles/${digest}`, text);
      const spec: Omit<ServiceOrder, "sealed"> = {
        project: "web",
        compose: ["compose.yaml"],
        bundle: digest,
        environment: { HEALTH: health },
        state: "running",
      };
      return { uid, name: "web", generation, spec: spec as unknown as KeepOrder["spec"] };
    }
    await docker.run(
      "docker",
      "run",
      "-d",
      "--name",
      "other",
      "--label",
      "com.docker.compose.project=other",
      "web:1",
    );

    return {
      folder,
      open: () => serviceKeeper({ host: docker.env.DOCKER_HOST, config: docker.env.DOCKER_CONFIG }) as Keeper,
      fetch: async (name) => Buffer.from(bundles.get(name) ?? ""),
      good: [order(1, "web:1"), order(2, "web:2")],
      bad: order(3, "web:2", "fail"),
      async working() {
        const version = await docker.get(8080, "/version");
        const conf = readFileSync(join(live, "conf/app.conf"), "utf8");
        return version !== undefined && conf === `generation ${version.split(":")[1]}\n`
          ? Number(version.split(":")[1])
          : undefined;
      },
      async left() {
        const of = "label=com.docker.compose.project=web";
        const things = await Promise.all([
          docker.run("docker", "ps", "-aq", "--filter", of),
          docker.run("docker", "network", "ls", "-q", "--filter", of),
        ]);
        const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
          /^services\/(web|\.reeve\/web\/mark)/.test(path),
        );
        // Docker makes the folder of a mount; what is in it would be data.
        return [
          ...things.filter((text) => text !== ""),
          ...files.filter((path) => !/^services\/web(\/data)?$/.test(path)),
        ];
      },
      damages: {
        removed: () => docker.run("docker", "rm", "-f", "web-web-1").then(() => {}),
        stopped: () => docker.run("docker", "stop", "-t", "0", "web-web-1").then(() => {}),
        "a file changed": () => writeFile(join(live, "conf/app.conf"), "somebody else was here"),
        "another container in its place": async () => {
          await docker.run("docker", "rm", "-f", "web-web-1");
          const file = join(live, "compose.yaml");
          await docker.run("docker", "compose", "-p", "web", "-f", file, "up", "-d", "--scale", "web=0");
        },
      },
      foreign: () => docker.run("docker", "inspect", "--format", "{{.Id}} {{.State.StartedAt}}", "other"),
    };
  },
  needs("docker"),
);
