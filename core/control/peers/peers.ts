import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Holder } from "@reeve/store";
import type { Authority } from "../authority/authority.ts";
import type { Wake } from "../control.ts";
import type { Log } from "../controller.ts";
import { relayThrough } from "../tunnels/relay.ts";
import type { DialPeer, Tunnels } from "../tunnels/tunnels.ts";
import { listenForAgents, type PortService } from "./agents-listener.ts";
import type { LinkStatus } from "./link.ts";
import { openLinks } from "./links.ts";
import { peerService } from "./peer-service.ts";
import { openPresence } from "./presence.ts";
import { openRoster } from "./roster.ts";

export interface PeersOptions {
  readonly database: Database;
  readonly me: Holder;
  readonly roles: readonly string[];
  readonly version: string;
  /** The agents' address; port 0 takes any. */
  readonly listen: { readonly host: string; readonly port: number };
  /** How others reach it, as host:port, when that differs. */
  readonly peerAddress?: string | undefined;
  /** Signs our certificate, so that agents know us for a replica. */
  readonly authority: Authority;
  /** What else the port serves. */
  readonly services?: readonly PortService[];
  /** Proxies from which it takes plain HTTP/2. */
  readonly proxies?: readonly string[];
  readonly onWake: (wake: Wake) => void;
  /** A peer asks for a tunnel to an agent that is connected here. */
  readonly openTunnel: Tunnels["openHere"];
  /** Another process has taken our name: this one must stop. Called once. */
  readonly onReplaced: () => void;
  readonly log: Log;
  /** How often the replica table is written and read. */
  readonly tickMs?: number;
}

/** The link to the other replicas. Promises nothing but speed: whoever does not hear a wake finds the same by sweeping. */
export interface Peers {
  /** host:port, as announced. */
  readonly address: string;
  /** The one it listens on. */
  readonly port: number;
  wake(wake: Wake): void;
  /** A tunnel to an agent that is connected to that replica. */
  readonly dial: DialPeer;
  links(): readonly LinkStatus[];
  close(): Promise<void>;
}

const usualTickMs = 2000;
const withdrawMs = 3000;

/**
 * Listens, announces this replica, and keeps a link to every other live one. The key is made at each start and never
 * leaves the process; peers accept exactly the certificate that stands in our row. Once the authority was rotated, or forgot the
 * one before, it is another certificate.
 */
export async function openPeers(options: PeersOptions): Promise<Peers> {
  const { database, me, roles, version, log } = options;
  const { authority } = options;
  let shownFor = authority.certificates;
  let pair = authority.forReplica(me.name);
  const roster = openRoster(database, me, log);
  const routes = peerService(roster, options.onWake, options.openTunnel);
  const listener = await listenForAgents({
    ...options.listen,
    setting: "REEVE_AGENT_LISTEN",
    pair: { cert: pair.chain, key: pair.key },
    proxies: options.proxies ?? [],
    services: [{ routes }, ...(options.services ?? [])],
  });
  const address = options.peerAddress ?? reachable(options.listen.host, listener.port);
  const presence = await openPresence(database, {
    ...me,
    peerAddress: address,
    certificate: pair.cert,
    roles,
    version,
  }).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });
  let links = openLinks(pair);
  let replaced = false;
  let ticking: Promise<void> | undefined;

  async function showAnother(): Promise<void> {
    const { certificates } = authority;
    const next = authority.forReplica(me.name);
    await presence.show(next.cert);
    listener.show({ cert: next.chain, key: next.key });
    links.close();
    links = openLinks(next);
    pair = next;
    shownFor = certificates;
  }

  async function tick(): Promise<void> {
    try {
      await authority.refresh();
      if (shownFor !== authority.certificates) await showAnother();
      if (!replaced && !(await presence.touch())) {
        replaced = true;
        options.onReplaced();
      }
      await roster.refresh();
      links.tend(roster.peers);
    } catch (error) {
      log.warn({ err: error }, "cannot look after the links to other replicas; trying again");
    }
  }

  const turn = () => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
    });
    return ticking;
  };
  const timer = setInterval(() => void turn(), options.tickMs ?? usualTickMs);
  await turn();

  return {
    address,
    port: listener.port,
    wake: (wake) => links.wake(wake),
    async dial(replica, agent, opens) {
      const peer = roster.peers.find(({ name }) => name === replica);
      return peer && relayThrough(peer, pair, agent, opens);
    },
    links: () => links.status(),
    async close() {
      clearInterval(timer);
      // First out of the table, so that nobody dials a door that is closing; a database that is away is not waited for.
      await Promise.race([withdraw(), sleep(withdrawMs, undefined, { ref: false })]);
      links.close();
      await listener.close();
    },
  };

  async function withdraw(): Promise<void> {
    // A touch under way could bring the row back.
    await ticking;
    await presence
      .withdraw()
      .catch((error: unknown) =>
        log.warn({ err: error }, "cannot withdraw this replica; it will be forgotten in a while"),
      );
  }
}

/** An address that means "every interface" is no place to dial. */
function reachable(host: string, port: number): string {
  const named = host === "0.0.0.0" || host === "::" ? hostname() : host;
  return named.includes(":") ? `[${named}]:${port}` : `${named}:${port}`;
}
