import type { FreeAgent } from "./assign.ts";
import type { AgentEar, OfferedStep } from "./runs.ts";

/** An agent linked to this replica. */
export interface AgentLink {
  readonly uid: string;
  readonly session: string;
  readonly ear: AgentEar;
  readonly executors: ReadonlySet<string>;
  slots: number;
  /** What it said last, less what it was offered since. */
  free: number;
  scope: string;
  labels: Readonly<Record<string, string>>;
  drained: boolean;
  /** Offers that it has not accepted: when they were sent, by our own clock. */
  readonly offered: Map<string, { readonly offer: OfferedStep; readonly sentMs: number }>;
}

/** The agents that this replica serves. */
export interface Links {
  add(link: AgentLink): void;
  /** Only if it is this session's: another link may have taken its place. */
  remove(uid: string, session: string): void;
  get(uid: string, session: string): AgentLink | undefined;
  all(): Iterable<AgentLink>;
  readonly size: number;
  withRoom(): FreeAgent[];
}

export function openLinks(): Links {
  const links = new Map<string, AgentLink>();
  return {
    add: (link) => void links.set(link.uid, link),
    remove(uid, session) {
      if (links.get(uid)?.session === session) links.delete(uid);
    },
    get(uid, session) {
      const link = links.get(uid);
      return link?.session === session ? link : undefined;
    },
    all: () => links.values(),
    get size() {
      return links.size;
    },
    withRoom: () => [...links.values()].filter((link) => link.free > 0 && !link.drained),
  };
}
