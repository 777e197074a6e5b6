import { agentsToTell, type Database } from "@reeve/store";
import type { Authority } from "../../authority/authority.ts";
import type { Log } from "../../controller.ts";

/** An agent's life line on this replica. */
export interface AgentLink {
  readonly uid: string;
  readonly session: string;
  farewell(reason: "reconnect" | "renew" | "replaced" | "revoked"): void;
  /** Asks the agent for a tunnel. */
  dial(dial: { readonly id: string; readonly opens: string; readonly with: string }): void;
}

/** The life lines of this replica, one an agent. */
export interface AgentLinks {
  add(link: AgentLink): void;
  find(uid: string): AgentLink | undefined;
  /** Something else that an agent has open here, which `end` ends when it is no longer served. What is returned forgets it. */
  attach(uid: string, end: () => void): () => void;
  /** False when another life line of the same agent has taken its place. */
  remove(link: AgentLink): boolean;
  /** These resources were changed: whoever is no longer served hears farewell. */
  changed(uids: readonly string[]): void;
  /** Sends all to other replicas, or back here later. */
  close(): void;
}

/** A change that nobody told us of is found so late. */
const sweepMs = 5000;
/** After a rotation of the authority, no more than this many agents renew at once. */
const renewAtOnce = 500;

export function openAgentLinks(database: Database, authority: Authority, log: Log): AgentLinks {
  const links = new Map<string, AgentLink>();
  const attached = new Map<string, Set<() => void>>();

  async function check(uids: readonly string[]): Promise<void> {
    if (uids.length === 0) return;
    let renewing = 0;
    for (const { uid, served } of await agentsToTell(database, uids, authority.id))
      if (!served) dismiss(uid);
      else if (renewing++ < renewAtOnce) links.get(uid)?.farewell("renew");
  }
  function dismiss(uid: string): void {
    links.get(uid)?.farewell("revoked");
    for (const end of attached.get(uid) ?? []) end();
  }
  const soon = (uids: readonly string[]) =>
    void check(uids).catch((error: unknown) =>
      log.warn({ err: error }, "cannot look for revoked agents; trying again"),
    );
  const sweeping = setInterval(
    () => soon([...new Set([...links.keys(), ...attached.keys()])]),
    sweepMs,
  ).unref();

  return {
    add(link) {
      const before = links.get(link.uid);
      before?.farewell(before.session === link.session ? "reconnect" : "replaced");
      links.set(link.uid, link);
    },
    find: (uid) => links.get(uid),
    attach(uid, end) {
      const ends = attached.get(uid) ?? new Set();
      attached.set(uid, ends.add(end));
      return () => {
        ends.delete(end);
        if (ends.size === 0 && attached.get(uid) === ends) attached.delete(uid);
      };
    },
    remove(link) {
      return links.get(link.uid) === link && links.delete(link.uid);
    },
    changed: (uids) => soon(uids.filter((uid) => links.has(uid) || attached.has(uid))),
    close() {
      clearInterval(sweeping);
      for (const link of links.values()) link.farewell("reconnect");
    },
  };
}
