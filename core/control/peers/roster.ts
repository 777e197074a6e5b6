import { X509Certificate } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, type Holder, listReplicas, type Replica } from "@reeve/store";
import type { Log } from "../controller.ts";

/** Another live replica of this installation. */
export interface Peer {
  readonly name: string;
  readonly session: string;
  readonly address: string;
  /** PEM. */
  readonly certificate: string;
  readonly fingerprint: string;
}

/** Who our peers are: the replica table says so, and nothing else. While it cannot be read, what it last said holds. */
export interface Roster {
  readonly peers: readonly Peer[];
  refresh(): Promise<void>;
  /** The peer with exactly this certificate; a newcomer is found at once. */
  find(fingerprint: string): Promise<Peer | undefined>;
}

/** Strangers must not make us ask the database at their pace. */
const askAgainMs = 250;

export function openRoster(database: Database, me: Holder, log: Log): Roster {
  let peers: readonly Peer[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    askedAt = performance.now();
    const replicas = await listReplicas(database);
    peers = replicas.filter((one) => one.live && one.name !== me.name).flatMap((one) => peerOf(one, log));
  }
  /** All unknown callers of a moment share one question. */
  async function askSoon(): Promise<void> {
    await sleep(Math.max(0, askedAt + askAgainMs - performance.now()));
    asking = undefined;
    await refresh();
  }
  const known = (fingerprint: string) => peers.find((peer) => peer.fingerprint === fingerprint);

  return {
    get peers() {
      return peers;
    },
    refresh,
    async find(fingerprint) {
      const peer = known(fingerprint);
      if (peer !== undefined) return peer;
      asking ??= askSoon();
      await asking;
      return known(fingerprint);
    },
  };
}

function peerOf({ name, session, peerAddress: address, certificate }: Replica, log: Log): Peer[] {
  try {
    return [{ name, session, address, certificate, fingerprint: fingerprintOf(certificate) }];
  } catch (error) {
    log.warn({ err: error, replica: name }, "the certificate of a replica cannot be read");
    return [];
  }
}

function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
