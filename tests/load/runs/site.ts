import type { Premises } from "../measure/premises.ts";
import { type Agent, startAgent } from "./agent.ts";
import { apply } from "./api.ts";
import { type Crowd, gatherCrowd } from "./crowd.ts";
import { type Installation, startInstallation } from "./installation.ts";
import type { PeerFigures } from "./measure-peers.ts";
import type { PeerName } from "./peers.ts";
import type { Postgres } from "./postgres.ts";
import { type Replica, startReplica } from "./replica.ts";
import { workflows } from "./workflows.ts";

/** What the stages share. Whatever a stage is the first to need is started then, and runs until the end. */
export interface Site extends SiteOptions {
  /** Filled by the stage of the peers; empty when it was left out or failed. */
  readonly peers: Partial<Record<PeerName, PeerFigures>>;
  /** One replica that does everything, with one agent. */
  installation(): Promise<Installation>;
  agent(): Promise<Agent>;
  /** Another one, whose people's port and agents' port are two processes. */
  apart(): Promise<{ readonly installation: Installation; readonly agentsReplica: Replica }>;
  /** The many agents of that one. */
  crowd(): Promise<Crowd>;
}

export interface SiteOptions {
  readonly premises: Premises;
  readonly quick: boolean;
  readonly profileFolder: string | undefined;
  readonly postgres: Postgres;
}

export function openSite(options: SiteOptions): Site {
  const started = once(async () => {
    const installation = await startInstallation(site, "runs");
    await apply(installation.api, workflows);
    const agentPort = installation.replica.agentPort;
    const agent = await startAgent(site, installation, { name: "one", agentPort, slots: 1000 });
    return { installation, agent };
  });
  const site: Site = {
    ...options,
    peers: {},
    installation: async () => (await started()).installation,
    agent: async () => (await started()).agent,
    apart: once(async () => {
      const installation = await startInstallation(site, "apart", { roles: "api" });
      const { databaseUrl } = installation;
      const agentsReplica = await startReplica(site, { name: "two", databaseUrl, roles: "agents,work" });
      return { installation, agentsReplica };
    }),
    crowd: once(async () => {
      const { installation, agentsReplica } = await site.apart();
      return gatherCrowd(site, installation, agentsReplica);
    }),
  };
  return site;
}

/** A failure is remembered too: what did not start for one stage does not start for the next. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}
