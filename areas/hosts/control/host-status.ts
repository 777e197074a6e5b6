import {
  type Condition,
  type JsonObject,
  type Status,
  sameJson,
  showDuration,
  withCondition,
} from "@reeve/model";
import type { EventEntry, ShownAgent } from "@reeve/store";
import type { AgentState, HostFacts, HostStatus } from "../kinds/index.ts";

/** What is seen when a Host is looked at. */
export interface Sight {
  readonly agent: ShownAgent | undefined;
  /** Steps that a drained host still holds; undefined when it is not drained. */
  readonly running: number | undefined;
  /** Of the server's own host: whose steps it does; undefined of any other. */
  readonly organizations: number | undefined;
  readonly now: string;
}

/** The status that follows from what is seen. `seenAt` moves only with the state: a heartbeat is no change of a Host. */
export function statusOf(before: Status, { agent, running, organizations, now }: Sight): HostStatus {
  const was = before as HostStatus;
  const state = stateOf(agent);
  const { facts, executors, version } = helloOf(agent);
  // Of one that is silent nobody knows.
  const troubles = state === "connected" ? (agent?.troubles ?? []) : [];
  const seenAt = state === was.agent && state === "connected" ? was.seenAt : agent?.seenAt;
  return {
    agent: state,
    ...(seenAt === undefined ? {} : { seenAt }),
    ...(version === undefined ? {} : { version }),
    ...(executors === undefined ? {} : { executors }),
    ...(facts === undefined ? {} : { facts }),
    ...(agent === undefined ? {} : { slots: agent.slots }),
    ...(running === undefined ? {} : { running }),
    ...(troubles.length === 0 ? {} : { troubles: [...troubles] }),
    conditions: withCondition(
      withSharing(withHealth(was.conditions ?? [], troubles, now), organizations, now),
      // Why it was revoked is told once, by whoever did it.
      state === "revoked" && was.agent === "revoked"
        ? connectedOf(was, state)
        : condition(state, agent, version),
      now,
    ),
  };
}

function stateOf(agent: ShownAgent | undefined): AgentState {
  if (agent === undefined) return "waiting";
  if (agent.revoked) return "revoked";
  return agent.left && agent.state !== "lost" ? "stopped" : agent.state;
}

/** The status from the moment of a revocation. */
export function revocation(before: Status, now: string, why: string): HostStatus {
  const conditions = withCondition(
    before.conditions ?? [],
    { type: "Connected", status: "false", reason: "Revoked", message: why },
    now,
  );
  return { ...before, agent: "revoked", conditions };
}

/** Said of a host once it was in trouble. */
function withHealth(conditions: readonly Condition[], troubles: readonly string[], now: string): Condition[] {
  const known = conditions.some((one) => one.type === "Healthy");
  if (troubles.length === 0 && !known) return [...conditions];
  const next =
    troubles.length === 0
      ? { status: "true" as const, reason: "Recovered", message: "its agent reports no trouble" }
      : { status: "false" as const, reason: "Troubled", message: troubles.join("; ") };
  return withCondition(conditions, { type: "Healthy", ...next }, now);
}

/** Said of the server's own host: its agent does the steps of everybody as the server's user. */
function withSharing(
  conditions: readonly Condition[],
  organizations: number | undefined,
  now: string,
): Condition[] {
  const others = conditions.filter((one) => one.type !== "Shared");
  if (organizations === undefined || organizations < 2) return others;
  const shared = { reason: "ManyOrganizations", message: sharedWords(organizations) };
  return withCondition(conditions, { type: "Shared", status: "true", ...shared }, now);
}

export function isShared(status: Status): boolean {
  return status.conditions?.some((one) => one.type === "Shared") ?? false;
}

export function sharedWords(organizations: number): string {
  return `its agent does the steps of ${organizations} organizations as the server's own user: each can reach what the server can; REEVE_HOME_AGENT=off leaves it out`;
}

type HostEvent = Omit<EventEntry, "uid">;

/** What a person should hear of a change. */
export function eventsOf(before: Status, after: HostStatus, now: string): HostEvent[] {
  return [
    stateEventOf(before, after, now),
    healthEventOf(before, after),
    sharingEventOf(before, after),
  ].filter((one) => one !== undefined);
}

function healthEventOf(before: Status, after: HostStatus): HostEvent | undefined {
  const [was, is] = [(before as HostStatus).troubles ?? [], after.troubles ?? []];
  if (sameJson(was, is) || after.agent !== "connected") return undefined;
  return is.length === 0
    ? { tone: "normal", reason: "Recovered", message: "its agent reports no trouble any more" }
    : { tone: "warning", reason: "Troubled", message: is.join("; ") };
}

function sharingEventOf(before: Status, after: HostStatus): HostEvent | undefined {
  const shared = after.conditions?.find((one) => one.type === "Shared");
  if (shared === undefined || isShared(before)) return undefined;
  return { tone: "warning", reason: shared.reason, message: shared.message };
}

function stateEventOf(before: Status, after: HostStatus, now: string): HostEvent | undefined {
  const [from, to] = [(before as HostStatus).agent, after.agent];
  if (from === to) return undefined;
  if (to === "connected") {
    const silentMs = Date.parse(now) - Date.parse(String((before as HostStatus).seenAt ?? now));
    return from === "suspect" || from === "lost" || from === "stopped"
      ? { tone: "normal", reason: "Back", message: `its agent is back after ${showDuration(silentMs)}` }
      : { tone: "normal", reason: "Connected", message: "its agent has connected" };
  }
  if (to === "stopped") return { tone: "normal", reason: "Stopped", message: "its agent was stopped" };
  if (to === "suspect")
    return { tone: "warning", reason: "Silent", message: `its agent is silent since ${after.seenAt}` };
  if (to === "lost")
    return { tone: "warning", reason: "Lost", message: `its agent is lost: silent since ${after.seenAt}` };
  return undefined;
}

function condition(
  state: AgentState,
  agent: ShownAgent | undefined,
  version: string | undefined,
): Omit<Condition, "since"> {
  const since = agent?.seenAt ?? "";
  const words: Record<AgentState, [Condition["status"], string, string]> = {
    waiting: ["false", "NoAgent", "no agent has joined; `reeve agent token` tells how"],
    joined: ["unknown", "NotYetConnected", "its agent has joined and not connected since"],
    connected: ["true", "Connected", `agent ${version ?? "of an unknown version"}`],
    stopped: [
      "false",
      "Stopped",
      `its agent was stopped, and heard last ${since}; its steps go on for now, and wait for it`,
    ],
    suspect: ["unknown", "Silent", `nothing was heard of its agent since ${since}`],
    lost: ["unknown", "Lost", `silent since ${since}: what it did is done elsewhere, or waits for it`],
    revoked: ["false", "Revoked", "its agent is let in no more"],
  };
  const [status, reason, message] = words[state];
  return { type: "Connected", status, reason, message };
}

function connectedOf(was: HostStatus, state: AgentState): Omit<Condition, "since"> {
  const known = was.conditions?.find((one) => one.type === "Connected");
  return known ?? condition(state, undefined, undefined);
}

function helloOf(agent: ShownAgent | undefined): {
  facts?: HostFacts;
  executors?: string[];
  version?: string;
} {
  if (agent === undefined) return {};
  const { facts, executors } = agent.hello as { facts?: JsonObject; executors?: string[] };
  const { agentVersion, ...rest } = facts ?? {};
  return {
    facts: rest as HostFacts,
    ...(executors === undefined ? {} : { executors }),
    ...(typeof agentVersion === "string" ? { version: agentVersion } : {}),
  };
}
