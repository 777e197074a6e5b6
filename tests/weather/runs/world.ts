import { join } from "node:path";
import { type AgentProcess, agentProcess, joinToken } from "../../harness/agent-process.ts";
import { type Api, setUp } from "../../harness/api.ts";
import type { Bench } from "../../harness/bench.ts";
import { openNetwork, type Place } from "../../harness/network.ts";
import { type PrivatePostgres, startPostgres } from "../../harness/private-postgres.ts";
import type { Random } from "../../harness/random.ts";
import { type Replica, startReplica } from "../../harness/replicas.ts";
import { clockMaker, type SkewedClock } from "../../harness/skewed-clock.ts";
import { until } from "../../harness/until.ts";
import { type Mixer, openMixer } from "./mixer.ts";
import { openWires, type Wires } from "./wires.ts";

/** An installation: a durable Postgres, replicas, and agents that each have wires of their own to all of them. */
export interface World {
  readonly postgres: PrivatePostgres;
  readonly replicas: readonly Replica[];
  readonly agents: readonly WorldAgent[];
  /** By the name of the replica or agent. The database's own cannot be set: it is the one that all go by. */
  readonly clocks: ReadonlyMap<string, SkewedClock>;
  readonly api: Api;
  /** The file that bodies write to. */
  readonly ledger: string;
}

export interface WorldAgent {
  readonly agent: AgentProcess;
  readonly wires: Wires;
  /** Where it is, in a world with a network. */
  readonly place?: Place;
  readonly mixer?: Mixer;
}

export interface WorldOptions {
  readonly replicas: number;
  readonly agents: number;
  readonly leaseSeconds?: number;
  readonly slots?: number;
  /** Folders of agents by their place; one of its own where there is none. */
  readonly data?: readonly (string | undefined)[];
  /** Every replica and agent has a clock that can be set. */
  readonly clocks?: boolean;
  /** Every agent is in a session of its own, as a service is: a kernel may share processors out by session. */
  readonly sessions?: boolean;
  /** Every agent is in a network namespace of its own. */
  readonly network?: boolean;
  /** The messages of these agents are mixed on the way. */
  readonly mixed?: { readonly agents: readonly number[]; readonly random: Random };
}

export async function openWorld(bench: Bench, options: WorldOptions): Promise<World> {
  const postgres = await startPostgres(bench);
  const clocks = new Map<string, SkewedClock>();
  const makeClock = options.clocks ? clockMaker(bench) : undefined;
  const clockOf = (name: string) => {
    const clock = makeClock?.();
    if (clock !== undefined) clocks.set(name, clock);
    return clock?.env ?? {};
  };
  const settings = {
    REEVE_AGENT_LEASE_SECONDS: String(options.leaseSeconds ?? 30),
    ...(options.mixed && { REEVE_AGENT_PROXIES: "127.0.0.1" }),
  };
  const replicas: Replica[] = [];
  let api: Api | undefined;
  for (let at = 0; at < options.replicas; at++) {
    const name = `r${at}`;
    const replica = await startReplica(bench, name, postgres.url(), { ...settings, ...clockOf(name) });
    replicas.push(replica);
    api ??= await setUp(replica.url, replica.server.setupLink);
  }
  if (api === undefined) throw new Error("a world has a replica");
  const agents = await openAgents(bench, options, { replicas, api, clockOf });
  await untilConnected(postgres, options.agents);
  return { postgres, replicas, agents, clocks, api, ledger: join(bench.folder(), "ledger") };
}

interface Grounds {
  readonly replicas: readonly Replica[];
  readonly api: Api;
  /** Makes a clock, and gives what a process is to be started with for it. */
  readonly clockOf: (name: string) => Readonly<Record<string, string>>;
}

/** One after the other, joined and started. */
async function openAgents(bench: Bench, options: WorldOptions, grounds: Grounds): Promise<WorldAgent[]> {
  const { replicas, api, clockOf } = grounds;
  const network = options.network ? openNetwork(bench) : undefined;
  const token = await joinToken(api, "all", { uses: options.agents });
  const ports = replicas.map(({ agentPort }) => agentPort);
  const agents: WorldAgent[] = [];
  for (let at = 0; at < options.agents; at++) {
    const [name, data, place] = [`a${at}`, options.data?.[at], network?.place()];
    const address = place?.middle ?? "127.0.0.1";
    const mixed = options.mixed?.agents.includes(at) ? options.mixed.random : undefined;
    const mixer = mixed && (await openMixer(bench, ports, address, mixed));
    const wires = await openWires(bench, mixer?.ports ?? ports, place?.listen);
    const agent = agentProcess(bench, {
      name,
      urls: wires.ports.map((port) => `https://${address}:${port}`),
      env: clockOf(name),
      ...(options.sessions && { enter: ["setsid"] }),
      ...(place && { enter: place.enter }),
      ...(mixer && { joining: ["--bearer", "--ca", mixer.ca] }),
      ...(data === undefined ? {} : { data }),
      ...(options.slots === undefined ? {} : { slots: options.slots }),
    });
    await agent.join(token);
    agent.start();
    agents.push({ agent, wires, ...(place && { place }), ...(mixer && { mixer }) });
  }
  return agents;
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

/** Begins a run of a workflow in `acme`: its id. */
export async function trigger(api: Api, name: string): Promise<string> {
  const path = `/api/v1/organizations/acme/workflows/${name}/actions/trigger`;
  const answer = await api.call("POST", path, { body: {} });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.run ?? answer.body.output.run;
}

/** How a run ended. */
export function untilEnded(api: Api, run: string, withinMs: number): Promise<string> {
  return until(
    `${run} to end`,
    async () => {
      const { body } = await api.call("GET", `/api/v1/runs/${run}`);
      return body.endedAt === undefined ? undefined : (body.state as string);
    },
    withinMs,
  );
}
