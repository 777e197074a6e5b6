import { itemSeqBase, type Json } from "@reeve/model";
import type { NewStep } from "@reeve/store/runs";
import { type Beginner, definitionOf, itemsLimitKey, type Means } from "./begin.ts";
import { readyWakeMs } from "./plan.ts";
import { noQueue, queueOf } from "./queue-ids.ts";
import { changeStep, type Turn } from "./turn.ts";

/** Makes a step for each item. Those that need no deciding are ready at once, as many as may be at a time. */
export async function expandStep(
  turn: Turn,
  one: Beginner,
  items: readonly Json[],
  { queues }: Means,
): Promise<void> {
  const { run, step } = one;
  const definition = definitionOf(one);
  const { row } = run;
  const atOnce = definition.over?.atOnce;
  const simple =
    definition.body.does === "execute" &&
    definition.limit === undefined &&
    !definition.selector?.includes("${{");
  const wanted = simple ? queueOf(row.scope, definition) : undefined;
  const queue = wanted === undefined ? noQueue : (await queues.ensure([wanted]))(wanted);
  const rows = items.map((item, index): NewStep => {
    const may = atOnce === undefined || index < atOnce;
    const state = row.pausedAt !== null ? "waiting" : !simple ? "due" : may ? "ready" : "waiting";
    return {
      run: step.run,
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
      limitKey: atOnce === undefined || !simple ? null : itemsLimitKey(step.run, step.seq),
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
  const progress = turn.progress.get(step.run) ?? { id: step.run, ended: 0, failed: 0, why: "" };
  turn.progress.set(step.run, { ...progress, ended: progress.ended - rows.length });
}
