import type { Sql } from "@reeve/store";
import {
  changeRuns,
  lockLimits,
  lockRuns,
  lockSteps,
  openFirstSteps,
  queuedRuns,
  readFacts,
  runChangeOf,
  runsUnder,
  stepsUnder,
  stepsWaitingFor,
} from "@reeve/store/runs";
import { limitOf } from "./begin.ts";
import { wordsOf } from "./decide.ts";
import { readyWakeMs } from "./plan.ts";
import type { Plans } from "./plans.ts";
import { changeStep, endStep, openTurn, type Wrote, writeTurn } from "./turn.ts";

const atATime = 200;

/** Lets steps go on that wait for a limit with room again. */
export async function releaseSteps(sql: Sql, key: string, plans: Plans): Promise<Wrote> {
  const turn = openTurn();
  const waiting = await stepsWaitingFor(sql, key, atATime);
  const rows = waiting.length > 0 ? await lockRuns(sql, [...new Set(waiting.map(({ run }) => run))]) : [];
  if (rows.length === 0) return writeTurn(sql, turn);
  await lockLimits(sql, [key]);
  let under = (await stepsUnder(sql, [key])).get(key) ?? 0;
  const planFor = await plans.load(
    sql,
    rows.map((row) => row.graph),
  );
  const runs = new Map(rows.map((row) => [row.id, { row, plan: planFor(row.graph) }]));
  const facts = Map.groupBy(await readFacts(sql, [...runs.keys()]), (fact) => fact.run);
  const byPlace = new Map((await lockSteps(sql, waiting)).map((step) => [`${step.run} ${step.seq}`, step]));
  for (const at of waiting) {
    const step = byPlace.get(`${at.run} ${at.seq}`);
    const run = runs.get(at.run);
    if (step?.reason !== "limit" || step.limitKey !== key || run === undefined) continue;
    try {
      const { most } = limitOf(run, step, facts.get(at.run) ?? []);
      if (under >= most) break;
      under++;
      const definition = run.plan.graph.steps[step.def];
      const wakeMs = definition === undefined ? null : readyWakeMs(definition);
      changeStep(turn, step, { state: "ready", reason: null, why: "", wakeMs });
    } catch (error) {
      endStep(turn, run, step, "failed", { why: wordsOf(error) });
    }
  }
  return writeTurn(sql, turn);
}

/** Lets runs begin that were queued for a limit with room again. Returns those that have. */
export async function releaseRuns(sql: Sql, key: string, plans: Plans): Promise<string[]> {
  const ids = await queuedRuns(sql, key, atATime);
  if (ids.length === 0) return [];
  const rows = new Map((await lockRuns(sql, ids)).map((row) => [row.id, row]));
  await lockLimits(sql, [key]);
  let under = (await runsUnder(sql, [key])).get(key) ?? 0;
  const planFor = await plans.load(
    sql,
    [...rows.values()].map((row) => row.graph),
  );
  const begun: string[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (row?.state !== "queued" || row.cancelledAt !== null) continue;
    const { limit, timeoutMs } = planFor(row.graph).graph;
    if (under >= (limit?.most ?? 1)) break;
    under++;
    begun.push(id);
    await changeRuns(sql, [runChangeOf(row, { state: "running", why: "", wakeMs: timeoutMs ?? null })]);
  }
  if (begun.length > 0) await openFirstSteps(sql, begun);
  return begun;
}
