import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { PeerService } from "@reeve/protocol";
import type { KeyPair } from "../authority/certificate.ts";
import type { Wake } from "../control.ts";
import { type PeerConnection, peerConnection } from "./connection.ts";
import type { Peer } from "./roster.ts";

/** Our side of the connection to one peer. Wakes that come while one is under way go together in the next. */
export interface Link {
  readonly peer: Peer;
  wake(wake: Wake): void;
  /** Connects again if the connection is lost and it is time. */
  tend(): void;
  status(): LinkStatus;
  close(): void;
}

/** For `debug links`. */
export type LinkStatus = {
  readonly name: string;
  readonly address: string;
  readonly state: PeerConnection["state"];
  readonly wakesSent: number;
  readonly failuresInARow: number;
  readonly lastFailure: string;
};

const callMs = 2000;

export function openLink(peer: Peer, own: KeyPair): Link {
  const connection = peerConnection(peer, own);
  const transport = createConnectTransport({
    baseUrl: connection.authority,
    httpVersion: "2",
    sessionManager: connection,
    useBinaryFormat: true,
  });
  const client = createClient(PeerService, transport);
  const figures = { wakesSent: 0, failuresInARow: 0, lastFailure: "" };
  let pending: { buckets: Set<number>; revision: number; forget: Set<string>; runs: boolean } | undefined;
  let busy = false;
  let retryAt = 0;
  let closed = false;

  /** Forgotten, not repeated: by the time the peer answers again it has found everything by sweeping. */
  function failed(error: unknown): void {
    if (closed) return;
    pending = undefined;
    figures.failuresInARow++;
    figures.lastFailure = error instanceof Error ? error.message : String(error);
    retryAt = performance.now() + Math.min(10_000, 250 * 2 ** Math.min(figures.failuresInARow, 6));
    connection.close();
  }

  async function send(): Promise<void> {
    busy = true;
    while (pending !== undefined && !closed) {
      const { buckets, revision, forget, runs } = pending;
      pending = undefined;
      try {
        await client.wake(
          { buckets: [...buckets], revision: BigInt(revision), forget: [...forget], runs },
          { timeoutMs: callMs },
        );
        figures.wakesSent++;
        figures.failuresInARow = 0;
      } catch (error) {
        failed(error);
      }
    }
    busy = false;
  }

  const link: Link = {
    peer,
    wake({ buckets, revision, forget, runs }) {
      if (closed || performance.now() < retryAt) return;
      pending ??= { buckets: new Set(), revision: 0, forget: new Set(), runs: false };
      for (const bucket of buckets) pending.buckets.add(bucket);
      for (const subjectUid of forget) pending.forget.add(subjectUid);
      pending.runs ||= runs;
      pending.revision = Math.max(pending.revision, revision);
      if (!busy) void send();
    },
    tend() {
      if (connection.state === "lost" && !busy && performance.now() >= retryAt)
        connection.open().catch(failed);
    },
    status: () => ({ name: peer.name, address: peer.address, state: connection.state, ...figures }),
    close() {
      closed = true;
      connection.close();
    },
  };
  link.tend();
  return link;
}
