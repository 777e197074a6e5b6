import { contains } from "@reeve/model";
import type { Assignment, Candidate } from "@reeve/store/runs";
import { type KnownQueue, selects } from "./queue-ids.ts";

/** An agent that is linked to this replica and can take work. */
export interface FreeAgent {
  readonly uid: string;
  readonly session: string;
  readonly scope: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly executors: ReadonlySet<string>;
  readonly free: number;
}

/** An agent serves the scope of its host and everything below, with the executors that it has. */
function serves(agent: Pick<FreeAgent, "scope" | "labels" | "executors">, queue: KnownQueue): boolean {
  return (
    agent.executors.has(queue.executor) && contains(agent.scope, queue.scope) && selects(queue, agent.labels)
  );
}

/** How much to ask of each queue: what its agents have free; with many queues less of each, because we come again. */
export function demand(
  agents: readonly FreeAgent[],
  queues: readonly KnownQueue[],
  most: number,
): { queue: string; most: number }[] {
  const total = agents.reduce((sum, agent) => sum + agent.free, 0);
  const wanted = queues.flatMap((queue) => {
    const free = agents.reduce((sum, agent) => sum + (serves(agent, queue) ? agent.free : 0), 0);
    return free > 0 ? [{ queue: queue.id, most: Math.min(free, most) }] : [];
  });
  if (wanted.length <= 4) return wanted;
  const share = Math.max(8, Math.ceil((2 * Math.min(total, most)) / wanted.length));
  return wanted.map((one) => ({ queue: one.queue, most: Math.min(one.most, share) }));
}

/**
 * Gives candidates to agents: one of each scope in turn, so that a scope with a thousand steps does not keep others waiting,
 * and to one agent after the other, so that wide runs spread.
 */
export function assign(
  candidates: readonly Candidate[],
  agents: readonly FreeAgent[],
  queues: ReadonlyMap<string, KnownQueue>,
): Assignment[] {
  const free = new Map(agents.map((agent) => [agent.uid, agent.free]));
  const rounds = new Map<string, () => FreeAgent | undefined>();
  const assignments: Assignment[] = [];
  for (const at of inTurns(candidates, queues)) {
    const { run, seq, queue } = candidates[at] as Candidate;
    const known = queues.get(queue);
    if (known === undefined) continue;
    const next = rounds.get(queue) ?? roundOf(agents, known, free);
    rounds.set(queue, next);
    const agent = next();
    if (agent === undefined) continue;
    free.set(agent.uid, (free.get(agent.uid) ?? 0) - 1);
    assignments.push({ at, run, seq, agent: agent.uid, session: agent.session });
  }
  return assignments;
}

/** One agent after the other, those with the most room first, without those that have none left. */
function roundOf(
  agents: readonly FreeAgent[],
  queue: KnownQueue,
  free: ReadonlyMap<string, number>,
): () => FreeAgent | undefined {
  let able = agents.filter((agent) => serves(agent, queue)).sort((a, b) => b.free - a.free);
  let at = 0;
  return () => {
    while (able.length > 0) {
      if (at >= able.length) {
        able = able.filter(({ uid }) => (free.get(uid) ?? 0) > 0);
        at = 0;
      }
      const agent = able[at++];
      if (agent !== undefined && (free.get(agent.uid) ?? 0) > 0) return agent;
    }
    return undefined;
  };
}

function* inTurns(
  candidates: readonly Candidate[],
  queues: ReadonlyMap<string, KnownQueue>,
): Generator<number> {
  const scopes = new Map<string | undefined, number[]>();
  for (const [at, { queue }] of candidates.entries()) {
    const scope = queues.get(queue)?.scope;
    const places = scopes.get(scope);
    if (places === undefined) scopes.set(scope, [at]);
    else places.push(at);
  }
  for (let turn = 0, left = candidates.length; left > 0; turn++)
    for (const places of scopes.values()) {
      const at = places[turn];
      if (at === undefined) continue;
      left--;
      yield at;
    }
}
