import { hasEnded } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { lockRuns, lockSteps, type StepRow } from "@reeve/store/runs";
import { attemptEnded } from "./attempt-ended.ts";
import type { Plans } from "./plans.ts";
import type { FinishedStep } from "./runs.ts";
import { type LockedRun, openTurn, type Wrote, writeTurn } from "./turn.ts";

export type AgentFinish = FinishedStep & {
  readonly agent: string;
  /** Only if it was not accepted meanwhile. */
  readonly offeredOnly?: true;
};

/** Records endings of attempts. A repeated one hears "ok" again; one of a stale epoch hears "fenced", and changes nothing. */
export async function finishSteps(
  sql: Sql,
  finishes: readonly AgentFinish[],
  plans: Plans,
): Promise<{ rulings: ("ok" | "fenced")[]; wrote: Wrote }> {
  const [runs, steps] = await lockBoth(sql, finishes, plans);
  const turn = openTurn();
  const done = new Set<string>();
  const rulings = finishes.map((finish): "ok" | "fenced" => {
    const step = steps.get(keyOf(finish));
    const run = runs.get(finish.run);
    if (step === undefined || run === undefined) return "fenced";
    const ruling = rule(step, finish);
    if (ruling !== "apply") return ruling;
    if (!done.has(keyOf(finish))) attemptEnded(turn, run, step, finish);
    done.add(keyOf(finish));
    return "ok";
  });
  return { rulings, wrote: await writeTurn(sql, turn) };
}

/** The rows of these steps and of their runs, locked in order. */
export async function lockBoth(
  sql: Sql,
  keys: readonly { run: string; seq: number }[],
  plans: Plans,
): Promise<[Map<string, LockedRun>, Map<string, StepRow>]> {
  const ids = [...new Set(keys.map((key) => key.run))];
  const unique = [...new Map(keys.map((key) => [keyOf(key), key])).values()];
  // Sent together, carried out in this order.
  const [rows, steps] = await Promise.all([lockRuns(sql, ids), lockSteps(sql, unique)]);
  const planFor = await plans.load(
    sql,
    rows.map((row) => row.graph),
  );
  return [
    new Map(rows.map((row) => [row.id, { row, plan: planFor(row.graph) }])),
    new Map(steps.map((step) => [keyOf(step), step])),
  ];
}

/** An attempt that was settled otherwise has no agent any more; one that was finished keeps its agent, so a repeat is known. */
function rule(step: StepRow, { epoch, agent, offeredOnly }: AgentFinish): "apply" | "ok" | "fenced" {
  if (step.epoch !== epoch || step.agent !== agent) return "fenced";
  if (offeredOnly && step.state !== "offered") return "ok";
  if (step.state === "offered" || step.state === "running" || step.reason === "lost") return "apply";
  return hasEnded(step.state) || step.reason === "retry" ? "ok" : "fenced";
}

export function keyOf({ run, seq }: { run: string; seq: number }): string {
  return `${run} ${seq}`;
}
