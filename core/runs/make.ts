import { Fault, fillTemplates, hasEnded } from "@reeve/model";
import type { Database, Sql } from "@reeve/store";
import { lockRuns, lockSteps, readFacts, type StepKey, type StepRow } from "@reeve/store/runs";
import { attemptFailed } from "./attempts.ts";
import type { Means } from "./begin.ts";
import { wordsOf } from "./decide.ts";
import { expressionScope } from "./facts.ts";
import type { Standing, WantedResource } from "./runs.ts";
import { timeLeft } from "./timeouts.ts";
import {
  changeStep,
  definitionOf,
  endStep,
  type LockedRun,
  openTurn,
  type Wrote,
  writeTurn,
} from "./turn.ts";

/** How often a resource is looked at; also how long others leave alone what one replica is at. */
const lookMs = 2000;

/**
 * Moves a step on that makes a resource: makes it, or looks how it stands, and ends as it ends. In two transactions with the deed
 * between them; whatever dies there is found again by the step's time to be looked at, and finds what was made by its name.
 */
export async function makeResource(database: Database, key: StepKey, means: Means): Promise<Wrote> {
  let wanted: WantedResource | undefined;
  let standing: Standing;
  try {
    wanted = await database.transact((sql) => wantedOf(sql, key, means));
    if (wanted === undefined) return writeTurn(database, openTurn());
    standing = await means.hooks.make(wanted);
  } catch (error) {
    if (error instanceof Fault && error.kind === "unavailable") throw error;
    standing = { state: "failed", why: wordsOf(error) };
  }
  return database.transact((sql) => writeStanding(sql, key, standing, means));
}

async function wantedOf(sql: Sql, key: StepKey, means: Means): Promise<WantedResource | undefined> {
  const found = await lockWaiting(sql, key, means);
  if (found === undefined || !found.step.woken) return undefined;
  const { run, step } = found;
  const { body } = definitionOf(found);
  if (body.does !== "make" || step.child === null) throw new Fault("internal", "the step makes nothing");
  const { row, plan } = run;
  const turn = openTurn();
  changeStep(turn, step, { wakeMs: lookMs });
  await writeTurn(sql, turn);
  const scope = expressionScope(row, plan, await readFacts(sql, [row.id]), step);
  return {
    run: row.id,
    scope: row.scope,
    kind: body.kind,
    name: `${row.name.slice(0, 40)}-${step.child.slice(-12)}`,
    spec: fillTemplates(body.spec, scope),
    made: step.why !== "",
  };
}

async function writeStanding(sql: Sql, key: StepKey, standing: Standing, means: Means): Promise<Wrote> {
  const found = await lockWaiting(sql, key, means);
  const turn = openTurn();
  if (found === undefined) return writeTurn(sql, turn);
  const { run, step } = found;
  const { state, why, outputs = null } = standing;
  const left = timeLeft(definitionOf(found), step);
  if (state === "succeeded") endStep(turn, run, step, state, { why, outputs });
  else if (state === "failed") attemptFailed(turn, run, step, why);
  else if (left.ms <= 0) attemptFailed(turn, run, step, `${left.why}; what it made stays: ${why}`);
  // Until something is said of it, it counts as not made.
  else
    changeStep(turn, step, { why: why || "it is being made", wakeMs: Math.min(lookMs, Math.ceil(left.ms)) });
  return writeTurn(sql, turn);
}

/** Unless it was cancelled or skipped meanwhile. */
async function lockWaiting(
  sql: Sql,
  key: StepKey,
  { plans }: Means,
): Promise<{ run: LockedRun; step: StepRow } | undefined> {
  const [row] = await lockRuns(sql, [key.run]);
  const [step] = await lockSteps(sql, [key]);
  if (row === undefined || step === undefined || hasEnded(step.state) || step.reason !== "resource")
    return undefined;
  const planFor = await plans.load(sql, [row.graph]);
  return { run: { row, plan: planFor(row.graph) }, step };
}
