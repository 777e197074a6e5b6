import { Fault } from "@reeve/model";
import { agentReplica, type Database } from "@reeve/store";
import type { AgentLinks } from "../doors/agents/links.ts";
import { openTunnelsHere, type TunnelsHere } from "./here.ts";
import type { Opens, Tunnel } from "./tunnel.ts";

/** Asks another replica for a tunnel to an agent of its own; undefined when it has none, or is not known. */
export type DialPeer = (replica: string, agent: string, opens: Opens) => Promise<Tunnel | undefined>;

export interface Tunnels extends Pick<TunnelsHere, "answered"> {
  /** A tunnel to an agent, wherever it is connected. A Fault says why there is none. */
  open(agent: string, opens: Opens): Promise<Tunnel>;
  /** For other replicas: only to agents of this one. */
  openHere(agent: string, opens: Opens): Promise<Tunnel>;
}

export function openTunnels(
  database: Database,
  replica: string,
  links: Pick<AgentLinks, "find" | "attach">,
  dialPeer: DialPeer | undefined,
): Tunnels {
  const here = openTunnelsHere(links);
  return {
    answered: here.answered,
    async openHere(agent, opens) {
      return (await here.open(agent, opens)) ?? Promise.reject(notConnected());
    },
    async open(agent, opens) {
      const mine = here.open(agent, opens);
      if (mine !== undefined) return mine;
      const there = await agentReplica(database, agent);
      const found = there !== undefined && there !== replica && (await dialPeer?.(there, agent, opens));
      return found || Promise.reject(notConnected());
    },
  };
}

function notConnected(): Fault {
  return new Fault("unavailable", "the host's agent is not connected", {
    next: "`reeve agent list` shows which are; try again when it is back",
  });
}
