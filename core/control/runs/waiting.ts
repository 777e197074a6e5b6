import { contains, matches, parseLabelSelector, showScope } from "@reeve/model";
import type { AgentRead, Queue } from "@reeve/store/runs";

/** What stands before a ready step: its place in the queue, and the agents that could take it. */
export interface QueueFacts {
  readonly queue: Queue;
  readonly agents: readonly AgentRead[];
  /** How many steps the agents that match hold; unknown when there are too many to count. */
  readonly held: number | undefined;
  /** How many steps go first; undefined when it is not among those at the front. */
  readonly before: number | undefined;
}

const namedMost = 3;

/** Agents that serve the queue's scope, have its executor and match its selector, whatever state they are in. */
export function agentsFor({ scope, executor, selector }: Queue, agents: readonly AgentRead[]): AgentRead[] {
  const terms = parseLabelSelector(selector);
  return agents.filter(
    (agent) =>
      contains(agent.scope, scope) && agent.executors.includes(executor) && matches(terms, agent.labels),
  );
}

/** Connected agents that take new steps. */
export function takers(agents: readonly AgentRead[]): AgentRead[] {
  return agents.filter((agent) => agent.state === "connected" && !agent.drained);
}

/** Why a ready step has not begun. */
export function whyReady(facts: QueueFacts): string {
  const { queue, agents, held, before } = facts;
  const serving = agents.filter((agent) => contains(agent.scope, queue.scope));
  const able = agentsFor(queue, agents);
  const connected = able.filter((agent) => agent.state === "connected");
  const taking = takers(able);
  if (serving.length === 0) return `no agent serves ${showScope(queue.scope)}; join one: reeve agent token`;
  if (able.length === 0) return noMatch(queue, serving);
  if (connected.length === 0) return `not connected: ${list(able.map(absent))}`;
  if (taking.length === 0)
    return `drained: ${list(connected.map(({ name }) => name))}; reeve agent resume lets it take steps`;
  const slots = taking.reduce((sum, agent) => sum + agent.slots, 0);
  const place =
    before === undefined
      ? "many steps go first"
      : `${before} ${before === 1 ? "step goes" : "steps go"} first`;
  if (held !== undefined && held >= slots)
    return `all slots of ${agentsInWords(taking)} are taken (${held} of ${slots}); ${place}`;
  if (taking.every((agent) => agent.troubles.length > 0))
    return `in trouble: ${list(taking.map(({ name, troubles }) => `${name} (${troubles.join("; ")})`))}; ${place}`;
  return before === 0 ? "about to be offered to an agent" : place;
}

function noMatch({ executor, selector }: Queue, serving: readonly AgentRead[]): string {
  const having = serving.filter((agent) => agent.executors.includes(executor));
  const them = `${serving.length} ${serving.length === 1 ? "agent" : "agents"}`;
  if (having.length === 0)
    return `no agent has the executor ${executor}; ${them}: ${list(serving.map(({ name }) => name))}`;
  return `no connected agent matches ${selector}; ${them}: ${list(having.map(labelled))}`;
}

function agentsInWords(agents: readonly AgentRead[]): string {
  return agents.length === 1 ? `the agent ${agents[0]?.name}` : `${agents.length} agents that match`;
}

function absent({ name, state, beatAt }: AgentRead): string {
  return state === "joined" ? `${name} (never yet)` : `${name} (${state}, last seen ${clock(beatAt)})`;
}

/** A time, not an age: words that change by themselves would be news to everybody who follows. */
export function clock(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}

function labelled({ name, labels }: AgentRead): string {
  const own = Object.entries(labels).filter(([key]) => !key.startsWith("reeve/"));
  return own.length === 0
    ? `${name} (no labels)`
    : `${name} (${own.map(([key, value]) => `${key}=${value}`).join(", ")})`;
}

export function list(words: readonly string[]): string {
  const more = words.length - namedMost;
  return [...words.slice(0, namedMost), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
