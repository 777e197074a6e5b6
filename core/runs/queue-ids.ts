import { type GraphStep, matches, parseLabelSelector, type Scope, type Term } from "@reeve/model";
import type { Database } from "@reeve/store";
import { ensureQueues, listQueues, type Queue } from "@reeve/store/runs";

/** The queues of this installation, by what they are for; read again now and then, because other replicas make some too. */
export interface Queues {
  /** Makes what is missing, at once and for all replicas, outside of any transaction. */
  ensure(wanted: readonly Omit<Queue, "id">[]): Promise<(one: Omit<Queue, "id">) => string>;
  refresh(): Promise<void>;
  all(): readonly KnownQueue[];
}

export interface KnownQueue extends Queue {
  readonly terms: readonly Term[];
}

/** Of what never waits for an agent. */
export const noQueue = "00000000-0000-0000-0000-000000000000";

const freshMs = 1_800_000;
const never = Number.NEGATIVE_INFINITY;

export function openQueues(database: Database): Queues {
  const known = new Map<string, { queue: KnownQueue; at: number }>();
  const learn = (queues: readonly Queue[], at: number) => {
    for (const queue of queues)
      known.set(keyOf(queue), { queue: { ...queue, terms: parseLabelSelector(queue.selector) }, at });
  };
  return {
    async ensure(wanted) {
      const now = performance.now();
      const asked = new Map(wanted.map((one) => [keyOf(one), one]));
      const stale = [...asked].filter(([key]) => (known.get(key)?.at ?? never) < now - freshMs);
      if (stale.length > 0)
        learn(
          await ensureQueues(
            database,
            stale.map(([, one]) => one),
          ),
          now,
        );
      return (one) => known.get(keyOf(one))?.queue.id as string;
    },
    async refresh() {
      const all = await listQueues(database);
      const ids = new Set(all.map(({ id }) => id));
      for (const [key, { queue }] of known) if (!ids.has(queue.id)) known.delete(key);
      learn(
        all.filter((queue) => !known.has(keyOf(queue))),
        never,
      );
    },
    all: () => [...known.values()].map(({ queue }) => queue),
  };
}

export function queueOf(
  scope: Scope,
  step: GraphStep,
  selector = step.selector ?? "",
): Omit<Queue, "id"> | undefined {
  return step.body.does === "execute" ? { scope, executor: step.body.executor, selector } : undefined;
}

export function selects(queue: KnownQueue, labels: Readonly<Record<string, string>>): boolean {
  return matches(queue.terms, labels);
}

function keyOf({ scope, executor, selector }: Omit<Queue, "id">): string {
  return `${scope} ${executor} ${selector}`;
}
