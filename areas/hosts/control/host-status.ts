import { type Condition, type JsonObject, type Status, showDuration, withCondition } from "@reeve/model";
import type { EventEntry, ShownAgent } from "@reeve/store";
import type { AgentState, HostFacts, HostStatus } from "../kinds/index.ts";

/** What is seen when a Host is looked at. */
export interface Sight {
  readonly agent: ShownAgent | undefined;
  /** Steps that a drained host still holds; undefined when it is not drained. */
  readonly running: number | undefined;
  readonly now: string;
}

/** The status that follows from what is seen. `seenAt` moves only with the state: a heartbeat is no change of a Host. */
export function statusOf(before: Status, { agent, running, now }: Sight): HostStatus {
  const was = before as HostStatus;
  const state = stateOf(agent);
  const { facts, executors, version } = helloOf(agent);
  const seenAt = state === was.agent && state === "connected" ? was.seenAt : agent?.seenAt;
  return {
    agent: state,
    ...(seenAt === undefined ? {} : { seenAt }),
    ...(version === undefined ? {} : { version }),
    ...(executors === undefined ? {} : { executors }),
    ...(facts === undefined ? {} : { facts }),
    ...(agent === undefined ? {} : { slots: agent.slots }),
    ...(running === undefined ? {} : { running }),
    conditions: withCondition(
      was.conditions ?? [],
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
  return agent.revoked ? "revoked" : agent.state;
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

/** What a person should hear of a change of state. */
export function eventOf(before: Status, after: HostStatus, now: string): Omit<EventEntry, "uid"> | undefined {
  const [from, to] = [(before as HostStatus).agent, after.agent];
  if (from === to) return undefined;
  if (to === "connected") {
    const silentMs = Date.parse(now) - Date.parse(String((before as HostStatus).seenAt ?? now));
    return from === "suspect" || from === "lost"
      ? { tone: "normal", reason: "Back", message: `its agent is back after ${showDuration(silentMs)}` }
      : { tone: "normal", reason: "Connected", message: "its agent has connected" };
  }
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
