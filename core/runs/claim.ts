import type { Database } from "@reeve/store";
import { type Candidate, offerSteps, readyCandidates } from "@reeve/store/runs";
import { assign, demand } from "./assign.ts";
import { keyOf } from "./finish.ts";
import type { Links } from "./links.ts";
import { renderOffers } from "./offers.ts";
import type { Plans } from "./plans.ts";
import type { KnownQueue, Queues } from "./queue-ids.ts";
import type { Held } from "./runs.ts";

export interface Claiming {
  readonly database: Database;
  readonly links: Links;
  readonly queues: Queues;
  readonly plans: Plans;
  /** A step whose words cannot be filled in. */
  readonly unfit: (held: Held & { agent: string }, why: string) => void;
}

const claimMost = 1000;

/** Claims ready steps once for all links of this replica, and offers them. Returns how many. */
export async function claimReady({ database, links, queues, plans, unfit }: Claiming): Promise<number> {
  const agents = links.withRoom();
  const all = queues.all();
  const wanted = demand(agents, all, claimMost);
  if (wanted.length === 0) return 0;
  const byId = new Map<string, KnownQueue>(all.map((queue) => [queue.id, queue]));
  const claimed = await database.transact(async (sql) => {
    const candidates = await readyCandidates(sql, wanted);
    if (candidates.length === 0) return [];
    const assignments = assign(candidates, agents, byId);
    if (assignments.length === 0) return [];
    const agentOf = new Map(assignments.map((one) => [keyOf(one), one]));
    const offered = new Set((await offerSteps(sql, assignments)).map(keyOf));
    return candidates
      .filter((one) => offered.has(keyOf(one)))
      .map((candidate) => ({
        candidate,
        to: agentOf.get(keyOf(candidate)) as { agent: string; session: string },
      }));
  });
  if (claimed.length === 0) return 0;
  const to = new Map(claimed.map(({ candidate, to }) => [keyOf(candidate), to]));
  const rendered = await renderOffers(
    database,
    claimed.map(({ candidate }) => candidate),
    plans,
  );
  const sentMs = performance.now();
  const byAgent = Map.groupBy(rendered, ({ candidate }) => to.get(keyOf(candidate))?.agent as string);
  for (const [agent, ones] of byAgent) {
    const session = to.get(keyOf(ones[0]?.candidate as Candidate))?.session as string;
    const link = links.get(agent, session);
    for (const { candidate, fault } of ones)
      if (fault !== undefined)
        unfit({ run: candidate.run, seq: candidate.seq, epoch: candidate.epoch + 1, agent }, fault);
    const offers = ones.flatMap(({ offer }) => offer ?? []);
    // Gone meanwhile: its next hello, or the end of its lease, gives them back.
    if (link === undefined) continue;
    link.free -= offers.length;
    for (const offer of offers) link.offered.set(keyOf(offer), { offer, sentMs });
    link.ear.offer(offers);
  }
  return claimed.length;
}
