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
/** Runs with new output in one message; followers of the others find it when they next look. */
const mostOutput = 200;

interface Pending {
  readonly buckets: Set<number>;
  readonly forget: Set<string>;
  readonly output: Set<string>;
  revision: number;
  runs: boolean;
  hurried: boolean;
}

function newPending(): Pending {
  return {
    ...{ buckets: new Set(), forget: new Set(), output: new Set() },
    ...{ revision: 0, runs: false, hurried: false },
  };
}

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
  let pending: Pending | undefined;
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
      const { buckets, revision, forget, output, ...rest } = pending;
      pending = undefined;
      const sets = { buckets: [...buckets], forget: [...forget], output: [...output] };
      try {
        await client.wake({ ...rest, ...sets, revision: BigInt(revision) }, { timeoutMs: callMs });
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
    wake({ buckets, revision, forget, runs, output, hurried }) {
      if (closed || performance.now() < retryAt) return;
      pending ??= newPending();
      for (const bucket of buckets) pending.buckets.add(bucket);
      for (const subjectUid of forget) pending.forget.add(subjectUid);
      for (const run of output) if (pending.output.size < mostOutput) pending.output.add(run);
      pending.runs ||= runs;
      pending.hurried ||= hurried;
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
