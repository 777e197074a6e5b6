import type { KeyPair } from "../authority/certificate.ts";
import type { Wake } from "../control.ts";
import { type Link, type LinkStatus, openLink } from "./link.ts";
import type { Peer } from "./roster.ts";

/** A link to each peer. A peer with a new certificate is another one: it started anew, or the authority did. */
export interface Links {
  /** Opens and closes links until there is one to each of these. */
  tend(peers: readonly Peer[]): void;
  wake(wake: Wake): void;
  status(): LinkStatus[];
  close(): void;
}

export function openLinks(own: KeyPair): Links {
  const links = new Map<string, Link>();
  let closed = false;
  return {
    tend(peers) {
      if (closed) return;
      const wanted = new Map(peers.map((peer) => [`${peer.name} ${peer.fingerprint}`, peer]));
      for (const [id, link] of links) {
        if (wanted.has(id)) continue;
        links.delete(id);
        link.close();
      }
      for (const [id, peer] of wanted) if (!links.has(id)) links.set(id, openLink(peer, own));
      for (const link of links.values()) link.tend();
    },
    wake(wake) {
      for (const link of links.values()) link.wake(wake);
    },
    status: () => [...links.values()].map((link) => link.status()),
    close() {
      closed = true;
      for (const link of links.values()) link.close();
    },
  };
}
