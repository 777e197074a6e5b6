import type { Database } from "@reeve/store";
import { offerSteps, readyCandidates } from "@reeve/store/runs";
import { assign, demand } from "./assign.ts";
import { keyOf } from "./finish.ts";
import type { AgentLink, Links } from "./links.ts";
import { type Claimed, type Heads, renderOffers } from "./offers.ts";
import type { Plans } from "./plans.ts";
import type { KnownQueue, Queues } from "./queue-ids.ts";
import type { Held } from "./runs.ts";

export interface Claiming {
  readonly database: Database;
  readonly links: Links;
  readonly queues: Queues;
  readonly plans: Plans;
  readonly heads: Heads;
  /** Queues in which more was ready than could be taken when they were last looked at. */
  readonly crowded: Set<string>;
  /** A step whose words cannot be filled in. */
  readonly unfit: (held: Held & { agent: string }, why: string) => void;
}

const claimMost = 1000;

/** Claims ready steps once for all links of this replica, and offers them. Returns how many. */
export async function claimReady(claiming: Claiming): Promise<number> {
  const { database, links, queues, crowded } = claiming;
  const agents = links.withRoom();
  const served = new Map(agents.map((link) => [link.uid, link]));
  const all = queues.all();
  const wanted = demand(agents, all, claimMost);
  if (wanted.length === 0) return 0;
  const byId = new Map<string, KnownQueue>(all.map((queue) => [queue.id, queue]));
  const { candidates, offered, refused } = await database.transact(async (sql) => {
    const candidates = await readyCandidates(sql, wanted);
    const assignments = assign(candidates, agents, byId);
    if (assignments.length === 0) return { candidates, offered: [], refused: [] };
    const taken = await offerSteps(sql, assignments);
    const refused = assignments.filter(({ at }) => !taken.has(at));
    const offered = assignments.flatMap(({ at, agent }) => {
      const one = candidates[at];
      if (one === undefined || !taken.has(at)) return [];
      return { ...one, epoch: one.epoch + 1, attempt: one.attempt + 1, agent };
    });
    return { candidates, offered, refused };
  });
  // Their agents were drained, given up for lost, or are at home elsewhere: a connection that nobody has cut must keep no step from others.
  for (const { agent } of refused) {
    const link = served.get(agent);
    if (link !== undefined) link.free = 0;
  }
  const counts = new Map<string, number>();
  for (const { queue } of candidates) counts.set(queue, (counts.get(queue) ?? 0) + 1);
  for (const { queue, most } of wanted)
    if ((counts.get(queue) ?? 0) >= most) crowded.add(queue);
    else crowded.delete(queue);
  await sendOffers(offered, served, claiming);
  return offered.length === 0 && refused.length > 0 ? claimReady(claiming) : offered.length;
}

/**
 * Tells agents of steps that are theirs now, on the links that they were claimed for: who has said hello since has not told of
 * them, so they went back, and must not begin.
 */
export async function sendOffers(
  claimed: readonly (Claimed & { agent: string })[],
  served: ReadonlyMap<string, AgentLink>,
  {
    database,
    links,
    plans,
    heads,
    unfit,
  }: Pick<Claiming, "database" | "links" | "plans" | "heads" | "unfit">,
): Promise<void> {
  if (claimed.length === 0) return;
  const rendered = await renderOffers(database, claimed, { plans, heads });
  const byAgent = Map.groupBy(rendered, (one) => (one.claimed as Claimed & { agent: string }).agent);
  for (const [agent, ones] of byAgent) {
    const link = links.byUid(agent);
    for (const one of ones)
      if ("fault" in one) {
        const { run, seq, epoch } = one.claimed;
        unfit({ run, seq, epoch, agent }, one.fault);
      }
    if (link === undefined || link !== served.get(agent)) continue;
    const steps = ones.flatMap((one) => ("step" in one ? one.step : []));
    link.free -= steps.length;
    link.unaccepted += steps.length;
    for (const step of steps) link.held.set(keyOf(step.offer), step);
    link.ear.offer(steps.map((step) => step.offer));
  }
}
