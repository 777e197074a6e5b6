import { join } from "node:path";
import { type AgentProcess, agentProcess, joinToken } from "../../harness/agent-process.ts";
import { type Api, setUp } from "../../harness/api.ts";
import type { Bench } from "../../harness/bench.ts";
import { type PrivatePostgres, startPostgres } from "../../harness/private-postgres.ts";
import { type Replica, startReplica } from "../../harness/replicas.ts";
import { until } from "../../harness/until.ts";
import { openWires, type Wires } from "./wires.ts";

/** An installation: a durable Postgres, replicas, and agents that each have wires of their own to all of them. */
export interface World {
  readonly postgres: PrivatePostgres;
  readonly replicas: readonly Replica[];
  readonly agents: readonly WorldAgent[];
  readonly api: Api;
  /** The file that bodies write to. */
  readonly ledger: string;
}

export interface WorldAgent {
  readonly agent: AgentProcess;
  readonly wires: Wires;
}

export interface WorldOptions {
  readonly replicas: number;
  readonly agents: number;
  readonly leaseSeconds?: number;
  readonly slots?: number;
  /** Folders of agents by their place; one of its own where there is none. */
  readonly data?: readonly (string | undefined)[];
}

export async function openWorld(bench: Bench, options: WorldOptions): Promise<World> {
  const postgres = await startPostgres(bench);
  const settings = { REEVE_AGENT_LEASE_SECONDS: String(options.leaseSeconds ?? 30) };
  const replicas: Replica[] = [];
  let api: Api | undefined;
  for (let at = 0; at < options.replicas; at++) {
    const replica = await startReplica(bench, `r${at}`, postgres.url(), settings);
    replicas.push(replica);
    api ??= await setUp(replica.url, replica.server.setupLink);
  }
  if (api === undefined) throw new Error("a world has a replica");
  const token = await joinToken(api, "all", { uses: options.agents });
  const agents: WorldAgent[] = [];
  for (let at = 0; at < options.agents; at++) {
    const wires = await openWires(
      bench,
      replicas.map(({ agentPort }) => agentPort),
    );
    const data = options.data?.[at];
    const agent = agentProcess(bench, {
      name: `a${at}`,
      urls: wires.ports.map((port) => `https://127.0.0.1:${port}`),
      ...(data === undefined ? {} : { data }),
      ...(options.slots === undefined ? {} : { slots: options.slots }),
    });
    await agent.join(token);
    agent.start();
    agents.push({ agent, wires });
  }
  await untilConnected(postgres, options.agents);
  return { postgres, replicas, agents, api, ledger: join(bench.folder(), "ledger") };
}

export async function untilConnected(
  postgres: PrivatePostgres,
  count: number,
  withinMs = 60_000,
): Promise<void> {
  await until(
    `${count} connected agents`,
    async () => {
      const rows = await postgres.query(
        "select 1 from agent where state = 'connected' and lease_until > now()",
      );
      return rows.length === count;
    },
    withinMs,
  );
}

export async function apply(api: Api, resources: readonly object[]): Promise<void> {
  const answer = await api.call("POST", "/api/v1/apply", { body: { resources } });
  const failed = answer.body?.results?.find(({ outcome }: { outcome?: string }) => outcome === undefined);
  if (answer.status !== 200 || failed !== undefined)
    throw new Error(`could not apply: ${JSON.stringify(failed ?? answer.text)}`);
}
