import type { RunHead } from "@reeve/store/runs";
import type { Plan } from "./plan.ts";
import type { AgentEar, OfferedStep } from "./runs.ts";

/** What this replica knows of a step that one of its agents has: enough to end it without asking the database first. */
export interface HeldStep {
  readonly offer: OfferedStep;
  readonly head: RunHead;
  readonly plan: Plan;
  readonly def: number;
  readonly parent: number | null;
  /** By our own clock; undefined once it was accepted. */
  offeredMs: number | undefined;
}

/** An agent linked to this replica. */
export interface AgentLink {
  readonly uid: string;
  readonly session: string;
  readonly ear: AgentEar;
  readonly executors: ReadonlySet<string>;
  /** What it said last, less what it was offered since. */
  free: number;
  scope: string;
  labels: Readonly<Record<string, string>>;
  drained: boolean;
  readonly held: Map<string, HeldStep>;
  /** Of those it holds, how many it has not accepted yet. */
  unaccepted: number;
}

/** The agents that this replica serves. */
export interface Links {
  add(link: AgentLink): void;
  /** Only if it is this ear's: another link may have taken its place. */
  remove(uid: string, ear: AgentEar): boolean;
  get(uid: string, session: string): AgentLink | undefined;
  byUid(uid: string): AgentLink | undefined;
  all(): Iterable<AgentLink>;
  readonly size: number;
  withRoom(): AgentLink[];
}

export function openLinks(): Links {
  const links = new Map<string, AgentLink>();
  return {
    add: (link) => void links.set(link.uid, link),
    remove: (uid, ear) => links.get(uid)?.ear === ear && links.delete(uid),
    get(uid, session) {
      const link = links.get(uid);
      return link?.session === session ? link : undefined;
    },
    byUid: (uid) => links.get(uid),
    all: () => links.values(),
    get size() {
      return links.size;
    },
    withRoom: () => [...links.values()].filter((link) => link.free > 0 && !link.drained),
  };
}
