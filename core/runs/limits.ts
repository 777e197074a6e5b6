import type { Sql } from "@reeve/store";
import {
  changeRuns,
  lockLimits,
  lockRuns,
  lockSteps,
  openFirstSteps,
  queuedRuns,
  runChangeOf,
  runsUnder,
  type StepKey,
  stepsUnder,
  stepsWaitingFor,
} from "@reeve/store/runs";
import { mostOf } from "./begin.ts";
import type { Plans } from "./plans.ts";
import { noQueue } from "./queue-ids.ts";
import { readyWakeMs } from "./timeouts.ts";
import { changeStep, openTurn, type Wrote, writeTurn, wroteNothing } from "./turn.ts";

const atATime = 200;

/** Lets steps go on that wait for a limit with room again: as many as there is room for, however many wait. */
export async function releaseSteps(sql: Sql, key: string, plans: Plans): Promise<Wrote> {
  const waiting = await stepsWaitingFor(sql, key, atATime);
  const rows = waiting.length > 0 ? await lockRuns(sql, [...new Set(waiting.map(({ run }) => run))]) : [];
  if (rows.length === 0) return wroteNothing;
  await lockLimits(sql, [key]);
  let under = (await stepsUnder(sql, [key])).get(key) ?? 0;
  const planFor = await plans.load(
    sql,
    rows.map((row) => row.graph),
  );
  const graphs = new Map(rows.map((row) => [row.id, planFor(row.graph).graph]));
  const chosen: StepKey[] = [];
  for (const { run, seq, def, parent } of waiting) {
    const definition = graphs.get(run)?.steps[def];
    if (definition === undefined) continue;
    if (under >= mostOf(definition, parent)) break;
    under++;
    chosen.push({ run, seq });
  }
  const turn = openTurn();
  for (const step of chosen.length > 0 ? await lockSteps(sql, chosen) : []) {
    const definition = graphs.get(step.run)?.steps[step.def];
    if (definition === undefined || step.reason !== "limit" || step.limitKey !== key) continue;
    // What no queue is known for is begun when it is looked at; its place is its own from here on.
    const begins = step.queue === noQueue ? "due" : "ready";
    const wakeMs = begins === "due" ? null : readyWakeMs(definition, { openMs: step.openMs });
    changeStep(turn, step, { state: begins, reason: null, why: "", wakeMs });
  }
  return writeTurn(sql, turn);
}

/**
 * Lets runs begin that were queued for a limit with room again; returns those that have. Nobody passes one whose own bound is lower,
 * save runs that others wait for: theirs may be the room that it is queued for.
 */
export async function releaseRuns(sql: Sql, key: string, plans: Plans): Promise<string[]> {
  const ids = await queuedRuns(sql, key, atATime);
  if (ids.length === 0) return [];
  const rows = new Map((await lockRuns(sql, ids)).map((row) => [row.id, row]));
  await lockLimits(sql, [key]);
  let under = (await runsUnder(sql, [key])).get(key)?.running ?? 0;
  const planFor = await plans.load(
    sql,
    [...rows.values()].map((row) => row.graph),
  );
  const begun: string[] = [];
  let held = false;
  for (const id of ids) {
    const row = rows.get(id);
    if (row?.state !== "queued" || row.cancelledAt !== null) continue;
    const { limit, timeoutMs } = planFor(row.graph).graph;
    const room = under < (limit?.most ?? 1);
    held ||= !room;
    if (!room || (held && row.parentRun === null)) continue;
    under++;
    begun.push(id);
    await changeRuns(sql, [runChangeOf(row, { state: "running", why: "", wakeMs: timeoutMs ?? null })]);
  }
  if (begun.length > 0) await openFirstSteps(sql, begun);
  return begun;
}
