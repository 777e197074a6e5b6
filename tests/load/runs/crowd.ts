import { type Generator, startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import type { Installation } from "./installation.ts";
import { joinToken } from "./join.ts";
import type { Replica } from "./replica.ts";
import type { AgentsAsk, AgentsResult } from "./simulated-agents.ts";
import type { Site } from "./site.ts";

/** Many simulated agents on one replica, made by a few processes. */
export interface Crowd {
  readonly count: number;
  readonly joinsPerSecond: number;
  readonly connectsPerSecond: number;
  readonly pids: readonly number[];
  /** They beat for so long; what became of their links. */
  hold(seconds: number): Promise<AgentsResult[]>;
}

const processes = 4;

export async function gatherCrowd(site: Site, installation: Installation, replica: Replica): Promise<Crowd> {
  const count = site.quick ? 2_000 : 10_000;
  const token = await joinToken(installation.api, "simulated", count);
  const url = `https://127.0.0.1:${replica.agentPort}`;
  say(`${whole(count)} agents join`);
  const joined = stopwatch(count);
  const generators = await Promise.all(
    Array.from({ length: processes }, () =>
      startGenerator(site.premises, "agents", { url, token, count: count / processes }),
    ),
  );
  const joinsPerSecond = joined();
  const connected = stopwatch(count);
  await askAll(generators, { do: "connect" });
  const connectsPerSecond = connected();
  say(`${whole(joinsPerSecond)} joins/s, ${whole(connectsPerSecond)} connects/s`);
  return {
    ...{ count, joinsPerSecond, connectsPerSecond },
    pids: generators.map(({ pid }) => pid),
    hold: (seconds) => askAll(generators, { do: "hold", seconds }),
  };
}

function askAll(
  generators: readonly Generator<AgentsAsk, AgentsResult>[],
  ask: AgentsAsk,
): Promise<AgentsResult[]> {
  return Promise.all(generators.map((generator) => generator.window(ask)));
}

/** So many a second, from now to when it is asked. */
function stopwatch(count: number): () => number {
  const startedAt = performance.now();
  return () => count / ((performance.now() - startedAt) / 1000);
}
