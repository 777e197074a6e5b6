import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, openBench } from "../../harness/bench.ts";
import { type DockerHost, type DockerHosts, openDockerHosts } from "../../harness/docker-hosts.ts";
import { until } from "../../harness/until.ts";
import { countCpu, processMs } from "../measure/cpu.ts";
import type { Premises } from "../measure/premises.ts";
import { say } from "../measure/progress.ts";
import { quantiles } from "../measure/quantiles.ts";
import type { MeasuredStage } from "../measure/stages.ts";
import { type Figure, figure, seconds, times, under } from "../runs/figures.ts";
import { measureReports } from "./measure-reports.ts";

interface Site {
  readonly premises: Premises;
  readonly bench: Bench;
  readonly world: DockerHosts;
  readonly host: DockerHost;
  readonly quick: boolean;
}

export async function openSite(premises: Premises, quick: boolean): Promise<Site> {
  const bench = openBench((end) => void premises.ending(end));
  const world = await openDockerHosts(bench, 1);
  return { premises, bench, world, host: world.hosts[0], quick };
}

export const stages: readonly MeasuredStage<Site>[] = [
  { name: "deploy", title: "A service of two containers, updated", measure: measureDeploys },
  { name: "many", title: "Many services at rest", measure: measureMany },
  {
    name: "reports",
    title: "Many hosts that tell what they see and use",
    measure: ({ premises, quick }) => measureReports(premises, quick),
  },
];

/** The same project, one time by hand and one time through Reeve; both replace both containers and wait for their health. */
async function measureDeploys({ bench, world, host, quick }: Site): Promise<Figure[]> {
  const file = join(bench.folder(), "bare.json");
  const bare = async (image: string) => {
    writeFileSync(file, twoContainers(image));
    await host.docker.run("docker", "compose", "-p", "bare", "-f", file, "up", "--detach", "--wait");
  };
  const ours = (image: string) => deployed(world, "ours", twoContainers(image));
  const taken: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  // The first time of both makes networks too.
  for (let turn = -1; turn < (quick ? 5 : 20); turn++) {
    const image = turn % 2 === 0 ? "web:1" : "web:2";
    const both = { bare: await timed(() => bare(image)), ours: await timed(() => ours(image)) };
    if (turn < 0) continue;
    taken.bare.push(both.bare);
    taken.ours.push(both.ours);
  }
  const [alone, through] = [quantiles(taken.bare), quantiles(taken.ours)];
  const ratio = through.p50 / alone.p50;
  return [
    figure("docker compose up --wait, p50", alone.p50, seconds, { detail: taken.bare }),
    figure("deploy asked to run ended, p50", through.p50, seconds, { detail: taken.ours }),
    figure("  against docker compose", ratio, times, { bar: under(ratio, 1.5, "x") }),
  ];
}

const restSeconds = 60;
const deploysAtOnce = 6;

async function measureMany({ world, host, quick }: Site): Promise<Figure[]> {
  const count = quick ? 20 : 200;
  const names = Array.from({ length: count }, (_, at) => `many-${at}`);
  const left = [...names];
  // Several at once: one after the other, most of the time is waiting.
  const deployAll = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      if (left.length % 20 === 0) say(`${left.length} of ${count} services are left to deploy`);
      await deployed(world, name, quietContainer);
    }
  };
  await Promise.all(Array.from({ length: deploysAtOnce }, deployAll));
  const end = countCpu({ agent: () => processMs(host.agent.pid) });
  await sleep(restSeconds * 1000);
  const used = end().agent ?? 0;
  const noticed: number[] = [];
  const back: number[] = [];
  for (const name of names.slice(0, 5)) {
    const since = String(Date.now() / 1000);
    await host.docker.run("docker", "rm", "--force", `${name}-web-1`);
    back.push(await timed(() => untilBack(host, name)));
    noticed.push(await goneFor(host, `${name}-web-1`, since));
  }
  const [seen, repaired] = [quantiles(noticed), quantiles(back)];
  return [
    figure(`agent with ${count} services, of a core`, used * 100, (value) => `${value.toFixed(2)} %`, {
      bar: under(used * 100, 3, "%"),
    }),
    figure("removed container noticed, at most", seen.max, seconds, {
      bar: under(seen.max, 2, "s"),
      detail: noticed,
    }),
    figure("  its successor runs, p50", repaired.p50, seconds, { detail: back }),
    figure("  longest", repaired.max, seconds),
  ];
}

function untilBack({ docker }: DockerHost, name: string): Promise<unknown> {
  const inspect = ["inspect", "--format", "{{.State.Running}}", `${name}-web-1`];
  return until("the container", async () => (await docker.run("docker", ...inspect)) === "true", 60_000);
}

/** From the removal of a container until Compose was called and has made another, by the engine's clock: noticing takes no longer. */
async function goneFor({ docker }: DockerHost, name: string, since: string): Promise<number> {
  const filters = [`container=${name}`, "event=destroy", "event=create"].flatMap((one) => ["--filter", one]);
  const until = String(Date.now() / 1000);
  const format = ["--format", "{{.Action}} {{.TimeNano}}"];
  const told = await docker.run(
    "docker",
    "events",
    "--since",
    since,
    "--until",
    until,
    ...filters,
    ...format,
  );
  const at = (action: string) => Number(new RegExp(`^${action} (\\d+)$`, "m").exec(told)?.[1]) / 1e9;
  return at("create") - at("destroy");
}

/**
 * Nothing that wakes up by itself, so that what is measured is ours; and no network of its own, of which an engine with its usual
 * settings has room for thirty.
 */
const quietContainer = JSON.stringify({
  services: { web: { image: "web:1", healthcheck: { disable: true }, network_mode: "bridge" } },
});

function twoContainers(image: string): string {
  return JSON.stringify({ services: { web: { image }, api: { image } } });
}

async function deployed(world: DockerHosts, name: string, compose: string): Promise<void> {
  await world.apply(name, { hosts: { names: ["web-1"] }, files: { "compose.yaml": compose } });
  const { state, why } = await world.ended(await world.deploy(name));
  if (state !== "succeeded") throw new Error(`${name} was not deployed: ${why}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
