import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { PeerService } from "@reeve/protocol";
import type { Wake } from "../control.ts";
import { relayFor } from "../tunnels/relay.ts";
import type { Tunnels } from "../tunnels/tunnels.ts";
import { callerCertificate } from "./agents-listener.ts";
import type { Roster } from "./roster.ts";

/** What we do for other replicas. Whoever is not in the roster is refused before a byte of the message is read. */
export function peerService(
  roster: Roster,
  onWake: (wake: Wake) => void,
  openHere: Tunnels["openHere"],
): (router: ConnectRouter) => void {
  return (router) =>
    router.service(
      PeerService,
      {
        wake({ buckets, revision, forget, runs, output, hurried }) {
          onWake({ buckets, revision: Number(revision), forget, runs, output, hurried });
          return {};
        },
        relay: (requests, { signal }) => relayFor(openHere, requests, signal),
      },
      {
        async requestGate({ values }) {
          const fingerprint = values.get(callerCertificate)?.fingerprint256;
          if (fingerprint !== undefined && (await roster.find(fingerprint)) !== undefined) return;
          throw new ConnectError("this certificate is not that of a live replica", Code.Unauthenticated);
        },
      },
    );
}
