import { setTimeout as sleep } from "node:timers/promises";
import { countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { type Generator, startGenerator } from "../measure/generator.ts";
import { memoryOf } from "../measure/memory.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { cores, type Figure, figure, megabytes, under } from "./figures.ts";
import type { Installation } from "./installation.ts";
import { joinToken } from "./join.ts";
import type { AgentsAsk, AgentsResult } from "./simulated-agents.ts";
import type { Site } from "./site.ts";

const processes = 4;
const startSeconds = 10;

/** Ten thousand agents that beat every 5 s, over the real protocol, on one replica. */
export async function measureAgents(site: Site): Promise<Figure[]> {
  const { installation, agentsReplica } = await site.apart();
  const count = site.quick ? 2_000 : 10_000;
  const seconds = site.quick ? 40 : 300;
  const token = await joinToken(installation.api, "simulated", count);
  const url = `https://127.0.0.1:${agentsReplica.agentPort}`;
  say(`${whole(count)} agents join`);
  const joinedAt = performance.now();
  const generators = await Promise.all(
    Array.from({ length: processes }, () =>
      startGenerator(site.premises, "agents", { url, token, count: count / processes }),
    ),
  );
  const joinsPerSecond = count / ((performance.now() - joinedAt) / 1000);
  const connectedAt = performance.now();
  await all(generators, { do: "connect" });
  const connectsPerSecond = count / ((performance.now() - connectedAt) / 1000);
  say(`${whole(joinsPerSecond)} joins/s, ${whole(connectsPerSecond)} connects/s; they beat for ${seconds} s`);
  await sleep(startSeconds * 1000);
  const cpu = countCpu({
    replica: () => processMs(agentsReplica.pid),
    postgres: () => familyMs(site.postgres.pid),
    generators: () => generators.reduce((sum, { pid }) => sum + processMs(pid), 0),
  });
  const [seen, worst] = await Promise.all([
    all(generators, { do: "hold", seconds }),
    worstState(installation, seconds),
  ]);
  const shares = cpu();
  const lost = seen.reduce((sum, one) => sum + one.lost, 0);
  const connected = seen.reduce((sum, one) => sum + one.connected, 0);
  const { residentMb } = memoryOf(agentsReplica.pid);
  return [
    figure(`agents connected for ${seconds} s`, connected, whole),
    figure("replica's CPU", shares.replica ?? 0, cores, {
      bar: under(shares.replica ?? 0, 1, cores),
      detail: shares,
    }),
    figure("falsely suspect or lost, links lost", worst + lost, whole, {
      bar: { text: "0", met: worst + lost === 0 },
      detail: seen,
    }),
    figure("joins a second", joinsPerSecond, whole),
    figure("connects a second", connectsPerSecond, whole),
    figure("replica's memory", residentMb, megabytes),
  ];
}

function all(
  generators: readonly Generator<AgentsAsk, AgentsResult>[],
  ask: AgentsAsk,
): Promise<AgentsResult[]> {
  return Promise.all(generators.map((generator) => generator.window(ask)));
}

/** The most agents that the database ever thought to be away. */
async function worstState({ query }: Installation, seconds: number): Promise<number> {
  let worst = 0;
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(1000)) {
    const [row] = await query<{ away: number }>(
      "select count(*)::int as away from agent where state in ('suspect', 'lost')",
    );
    worst = Math.max(worst, row?.away ?? 0);
  }
  return worst;
}
