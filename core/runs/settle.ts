import { Fault, fillTemplates, hasEnded, type JsonObject, showDuration } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  changeRuns,
  lockRuns,
  lockSteps,
  olderRuns,
  type RunRow,
  readFacts,
  runChangeOf,
} from "@reeve/store/runs";
import type { Means } from "./begin.ts";
import { cancelRun } from "./cancel.ts";
import { expressionScope } from "./facts.ts";
import type { Plan } from "./plan.ts";
import type { EndedRun } from "./runs.ts";
import { runEnded } from "./sub-run.ts";
import { openTurn, type Wrote, writeTurn, wroteNothing } from "./turn.ts";

/** Asked again for as long as it is queued: who was to cancel them may have died, and one of them may be retried. */
const pushAgainMs = 5000;

export interface Settled {
  readonly wrote: Wrote;
  /** The limit under which there is room now. */
  readonly released: string | null;
  /** Runs that must make way for this one. */
  readonly pushes: readonly string[];
}

/**
 * Looks at a run whose time has come: its last step has ended and there is more to do than to say so; or it has run too long;
 * or it is queued behind runs that it is to push out.
 */
export async function settleRun(
  sql: Sql,
  { id, parentRun }: Pick<RunRow, "id" | "parentRun">,
  means: Means,
): Promise<Settled> {
  const nothing = { wrote: wroteNothing, released: null, pushes: [] };
  const rows = await lockRuns(sql, parentRun === null ? [id] : [id, parentRun]);
  const row = rows.find((one) => one.id === id);
  if (row === undefined || !row.woken) return nothing;
  const planFor = await means.plans.load(
    sql,
    rows.map((one) => one.graph),
  );
  const plan = planFor(row.graph);
  if (
    row.state === "queued" &&
    row.open > 0 &&
    plan.graph.limit?.over === "cancel" &&
    row.limitKey !== null
  ) {
    await changeRuns(sql, [runChangeOf(row, { wakeMs: pushAgainMs })]);
    return { ...nothing, pushes: await olderRuns(sql, row.limitKey, id) };
  }
  if (row.open > 0 && !hasEnded(row.state)) {
    const timeoutMs = plan.graph.timeoutMs ?? Number.POSITIVE_INFINITY;
    const leftMs = timeoutMs - (row.startedMs ?? 0);
    if (row.startedMs === null || leftMs > 0) {
      await changeRuns(sql, [
        runChangeOf(row, { wakeMs: Number.isFinite(leftMs) ? Math.ceil(leftMs) : null }),
      ]);
      return nothing;
    }
    const why = `ran longer than ${showDuration(timeoutMs)}`;
    return { ...nothing, wrote: await cancelRun(sql, { row, plan }, { why, timedOut: true, by: "" }) };
  }
  const { state, why, outputs } = hasEnded(row.state)
    ? { state: row.state as EndedRun["state"], why: row.why, outputs: null }
    : await outcomeOf(sql, row, plan);
  await changeRuns(sql, [runChangeOf(row, { state, why, outputs, wakeMs: null })]);
  if (plan.graph.ending !== undefined) {
    const { scope, kind, name, uid, generation } = row;
    const about = { kind, name, uid, generation };
    await means.hooks.ended(sql, [{ id, scope, about, state, why, ending: plan.graph.ending }]);
  }
  const turn = openTurn();
  const parent = rows.find((one) => one.id === parentRun);
  if (parent !== undefined && row.parentSeq !== null) {
    const [step] = await lockSteps(sql, [{ run: parent.id, seq: row.parentSeq }]);
    if (step?.child === id && step.reason === "run")
      runEnded(turn, { row: parent, plan: planFor(parent.graph) }, step, { state, why, outputs });
  }
  return { wrote: await writeTurn(sql, turn), released: row.limitKey, pushes: [] };
}

async function outcomeOf(
  sql: Sql,
  row: RunRow,
  plan: Plan,
): Promise<{ state: "succeeded" | "failed" | "cancelled"; why: string; outputs: JsonObject | null }> {
  if (row.timedOut) return { state: "failed", why: row.why, outputs: null };
  if (row.cancelledAt !== null) return { state: "cancelled", why: row.why, outputs: null };
  const failed = { state: "failed", outputs: null } as const;
  if (row.failed > 0) return { ...failed, why: row.why };
  if (plan.graph.outputs === undefined) return { state: "succeeded", why: "", outputs: null };
  try {
    const scope = expressionScope(row, plan, await readFacts(sql, [row.id]));
    return { state: "succeeded", why: "", outputs: fillTemplates(plan.graph.outputs, scope) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ...failed, why: `its outputs: ${error.message}` };
  }
}
