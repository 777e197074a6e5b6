import { contains, Fault, matches, parseLabelSelector } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type AgentRead, readAgents } from "@reeve/store/runs";
import type { ServiceSpec } from "../kinds/index.ts";

export interface ChosenHost {
  readonly uid: string;
  readonly name: string;
}

/**
 * The hosts that a service is to run on now, in the order in which they are changed: as they are named, then by name. `has` are the
 * agents that have it already. A Fault says what is in the way, before anything is queued.
 */
export async function chooseHosts(
  sql: Sql,
  scope: string,
  { hosts }: ServiceSpec,
  has: ReadonlySet<string>,
): Promise<ChosenHost[]> {
  const serving = nearest((await readAgents(sql)).filter((host) => contains(host.scope, scope)));
  const named = (hosts.names ?? []).map((name) => {
    const host = serving.get(name);
    if (host === undefined)
      throw refused(
        `there is no host ${name} with an agent that serves this scope`,
        "`reeve agent list` shows them",
      );
    return host;
  });
  const terms = hosts.labels === undefined ? undefined : parseLabelSelector(hosts.labels);
  const labelled =
    terms === undefined
      ? []
      : roomiest(
          [...serving.values()].filter((host) => !host.drained && matches(terms, host.labels)),
          hosts.count,
          has,
        );
  const chosen = [...new Map([...named, ...labelled].map((host) => [host.uid, host])).values()];
  if (chosen.length === 0)
    throw refused(
      `no host has the labels ${hosts.labels}`,
      "`reeve get hosts -o wide` shows those that they have",
    );
  for (const host of chosen) refuseUnable(host);
  return chosen.map(({ uid, name }) => ({ uid, name }));
}

/** So many of them, or all, by name: a service stays where it is, and goes to where most memory is free. */
function roomiest(
  hosts: readonly AgentRead[],
  count = hosts.length,
  has: ReadonlySet<string> = new Set(),
): AgentRead[] {
  if (hosts.length < count)
    throw refused(
      `only ${hosts.length} hosts have the labels, and it is to run on ${count}`,
      "label more hosts, or lower `hosts.count`",
    );
  const worth = (host: AgentRead) => [
    host.state === "connected" ? 1 : 0,
    has.has(host.uid) ? 1 : 0,
    host.memoryFree,
  ];
  return [...hosts]
    .sort((a, b) => {
      const other = worth(b);
      return (
        worth(a)
          .map((own, at) => (other[at] ?? 0) - own)
          .find((more) => more !== 0) ?? 0
      );
    })
    .slice(0, count)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of two with one name, the one of the nearer scope is meant. */
function nearest(hosts: readonly AgentRead[]): Map<string, AgentRead> {
  const byDepth = [...hosts].sort((a, b) => a.scope.length - b.scope.length);
  return new Map(byDepth.map((host) => [host.name, host]));
}

function refuseUnable({ name, drained, executors }: AgentRead): void {
  if (drained)
    throw refused(`the host ${name} is drained`, `\`reeve agent resume ${name}\`, or choose another`);
  if (!executors.includes("service-keep"))
    throw refused(
      `the agent of ${name} cannot keep services: it has not found \`docker compose\` or \`docker-compose\``,
      "install Docker with Compose there and restart the agent, or choose another",
    );
}

function refused(why: string, next: string): Fault {
  return new Fault("precondition", why, { next });
}
