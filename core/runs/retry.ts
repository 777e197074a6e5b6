import { Fault } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  changeRuns,
  limitHolders,
  lockAllSteps,
  lockLimits,
  type Reopened,
  removeItems,
  reopenSteps,
  runChangeOf,
  runsUnder,
  type StepRow,
} from "@reeve/store/runs";
import { whyNoRoom } from "./admit.ts";
import { changeStep, keepAttempt, type LockedRun, openTurn, tell, type Wrote, writeTurn } from "./turn.ts";

/**
 * Reopens a run that has ended: all of it, or what did not succeed and everything that follows from it. Attempts keep their
 * numbers and epochs, so that an agent that still has an old one is fenced. Without room under its limit it is queued, as any other.
 */
export async function retryRun(
  sql: Sql,
  run: LockedRun,
  from: "start" | "failed",
  by: string,
): Promise<Wrote> {
  const { row, plan } = run;
  if (row.state === "skipped")
    throw new Fault("precondition", "it was given up before it had any steps", { next: "trigger it anew" });
  const queuedWhy = await whyQueued(sql, run);
  const begins = queuedWhy === undefined;
  const steps = await lockAllSteps(sql, row.id);
  const inGraph = steps.filter((step) => step.parent === null);
  const items = Map.groupBy(
    steps.filter((step) => step.parent !== null),
    (step) => step.parent as number,
  );
  const { anew, onlyItems } = from === "start" ? everything(inGraph) : whatDidNot(run, inGraph, items);
  const again = [...onlyItems].flatMap((seq) =>
    (items.get(seq) ?? []).filter(({ state }) => state !== "succeeded"),
  );
  if (anew.size + onlyItems.size === 0)
    throw new Fault("precondition", "there is nothing to retry: all its steps succeeded", {
      next: "retry it from the start",
    });
  const turn = openTurn();
  const lost = [...anew].flatMap((seq) => items.get(seq) ?? []);
  for (const step of [...inGraph.filter(({ seq }) => anew.has(seq)), ...lost, ...again])
    if (step.epoch > 0 && step.state !== "skipped" && step.agent !== null)
      keepAttempt(turn, step, step.state as "succeeded" | "failed" | "cancelled", step.why, step.exitCode);
  const what = from === "start" ? "all over again" : `${anew.size + again.length} steps again`;
  tell(turn, { run: row.id, reason: "retried", message: what, by });
  await writeTurn(sql, turn);
  await removeItems(sql, row.id, [...anew]);
  const states = new Map(inGraph.map(({ seq, state }) => [seq, state]));
  const open = (seq: number) => anew.has(seq) || onlyItems.has(seq);
  await reopenSteps(sql, [
    ...[...anew].map((seq): Reopened => {
      const needs = plan.graph.steps[seq]?.needs ?? [];
      const closed = needs.filter((need) => !open(need));
      return {
        run: row.id,
        seq,
        pending: needs.length - closed.length,
        troubled: closed.some((need) => states.get(need) !== "succeeded"),
        due: begins && closed.length === needs.length,
        // Items made anew take the places of those that were: their epochs go on from there.
        epoch: Math.max(0, ...(items.get(seq) ?? []).map(({ epoch }) => epoch)),
      };
    }),
    ...again.map(({ seq }) => ({ run: row.id, seq, pending: 0, troubled: false, due: begins, epoch: 0 })),
  ]);
  const waiting = openTurn();
  for (const step of inGraph.filter(({ seq }) => onlyItems.has(seq))) {
    const pending = again.filter(({ parent }) => parent === step.seq).length;
    changeStep(waiting, step, { state: "waiting", reason: "items", why: "", forgets: true });
    waiting.pendings.push({ run: row.id, seq: step.seq, pending, troubled: step.troubled });
  }
  const failed = inGraph.filter(
    ({ seq, state, def }) => !open(seq) && state === "failed" && plan.graph.steps[def]?.mayFail === undefined,
  ).length;
  await changeRuns(sql, [
    runChangeOf(row, {
      state: begins ? "running" : "queued",
      why: queuedWhy ?? "",
      cancelled: false,
      paused: false,
      timedOut: false,
      open: anew.size + onlyItems.size + again.length,
      failed,
      // One that is queued is looked at right away: it may have others to push out.
      wakeMs: begins ? (plan.graph.timeoutMs ?? null) : 0,
    }),
  ]);
  return { ...(await writeTurn(sql, waiting)), due: true };
}

/** So many are named of those that are in the way. */
const holdersMost = 4;

/** Why the run has to wait for its limit, undefined when it has room. Where a new run would be given up, this one stays as it was. */
async function whyQueued(sql: Sql, { row, plan }: LockedRun): Promise<string | undefined> {
  const { limit } = plan.graph;
  if (limit === undefined || row.limitKey === null) return undefined;
  await lockLimits(sql, [row.limitKey]);
  const under = (await runsUnder(sql, [row.limitKey])).get(row.limitKey) ?? { running: 0, queued: 0 };
  const why = whyNoRoom(limit.most, under, row.parentRun !== null);
  if (why === undefined || limit.over !== "skip") return why;
  const holders = await limitHolders(sql, row.limitKey, "runs", holdersMost);
  const named = holders.map(({ run, name }) => `${name} ${run.slice(-8)}`).join(", ");
  throw new Fault("precondition", `the run cannot be retried: ${why}${named === "" ? "" : `: ${named}`}`, {
    next: "retry it when those have ended; its limit is one that no run waits for (over: skip)",
  });
}

interface ToReopen {
  /** Steps of the graph that are decided again. */
  readonly anew: ReadonlySet<number>;
  /** Fan-outs whose list is the same: only their items that did not succeed are done again. */
  readonly onlyItems: ReadonlySet<number>;
}

function everything(inGraph: readonly StepRow[]): ToReopen {
  return { anew: new Set(inGraph.map(({ seq }) => seq)), onlyItems: new Set() };
}

/** What failed, was cancelled, or was skipped because of that; and everything after it. */
function whatDidNot(
  { plan }: LockedRun,
  inGraph: readonly StepRow[],
  items: ReadonlyMap<number, readonly StepRow[]>,
): ToReopen {
  const anew = new Set<number>();
  const onlyItems = new Set<number>();
  for (const { seq, def, state } of inGraph) {
    const needs = plan.graph.steps[def]?.needs ?? [];
    if (needs.some((need) => anew.has(need) || onlyItems.has(need))) anew.add(seq);
    else if (state !== "failed" && state !== "cancelled") continue;
    else if (items.has(seq)) onlyItems.add(seq);
    else anew.add(seq);
  }
  return { anew, onlyItems };
}
