import { itemSeqBase, type Json } from "@reeve/model";
import type { NewStep } from "@reeve/store/runs";
import { type Beginner, itemsLimitKey, type Means } from "./begin.ts";
import { noQueue, queueOf } from "./queue-ids.ts";
import { readyWakeMs } from "./timeouts.ts";
import { changeStep, definitionOf, endStep, type Turn } from "./turn.ts";

/** Of one run, over all its fan-outs: a run is read, cancelled and removed as a whole. */
const openMost = 200_000;

/**
 * Makes a step for each item. As many as may be at a time have their place: they are ready, or due if there is more to look at than
 * that an agent does them.
 */
export async function expandStep(
  turn: Turn,
  one: Beginner,
  items: readonly Json[],
  { queues }: Means,
): Promise<void> {
  const { run, step } = one;
  const definition = definitionOf(one);
  const { row } = run;
  const progress = turn.progress.get(step.run) ?? { id: step.run, ended: 0, failed: 0, why: "" };
  const open = row.open - progress.ended + items.length;
  if (open > openMost) {
    const why = `with its items the run would have ${open} steps to do; at most ${openMost} can be: let one step do many of them`;
    endStep(turn, run, step, "failed", { why });
    return;
  }
  const { atOnce = items.length } = definition.over ?? {};
  const limitKey = definition.over?.atOnce === undefined ? null : itemsLimitKey(step.run, step.seq);
  const wanted = definition.selector?.includes("${{") ? undefined : queueOf(row.scope, definition);
  const queue = wanted === undefined ? noQueue : (await queues.ensure([wanted]))(wanted);
  const looksAtLimit = limitKey === null && definition.limit !== undefined;
  const begins = queue === noQueue || looksAtLimit ? "due" : "ready";
  const rows = items.map((item, index): NewStep => {
    const state = row.pausedAt !== null || index >= atOnce ? "waiting" : begins;
    return {
      run: step.run,
      scope: row.scope,
      seq: itemSeqBase * (step.seq + 1) + index,
      def: step.def,
      parent: step.seq,
      item: { item, index },
      state,
      reason: state !== "waiting" ? null : row.pausedAt !== null ? "paused" : "limit",
      pending: 0,
      plain: false,
      queue,
      priority: step.priority,
      limitKey,
      atMostOnce: step.atMostOnce,
      exclusive: step.exclusive,
      epoch: step.epoch,
      wakeMs: state === "ready" ? readyWakeMs(definition) : null,
    };
  });
  for (const row of rows) turn.steps.push(row);
  turn.pendings.push({ run: step.run, seq: step.seq, pending: rows.length, troubled: step.troubled });
  // `tries` marks that its items are made: when it is due again, they have all ended.
  changeStep(turn, step, { state: "waiting", reason: "items", why: "", tries: 1 });
  turn.progress.set(step.run, { ...progress, ended: progress.ended - rows.length });
}
