import { hasEnded } from "@reeve/model";
import type { Database, Sql } from "@reeve/store";
import {
  lockRuns,
  lockSteps,
  type StepRow,
  type Succeeded,
  type Success,
  succeedSteps,
} from "@reeve/store/runs";
import { attemptEnded } from "./attempt-ended.ts";
import { itemsLimitKey } from "./begin.ts";
import type { AgentLink, HeldStep } from "./links.ts";
import type { Plans } from "./plans.ts";
import type { FinishedStep } from "./runs.ts";
import { readyWakeMs } from "./timeouts.ts";
import { type LockedRun, openTurn, type Wrote, writeTurn, wroteNothing } from "./turn.ts";

export type AgentFinish = FinishedStep & {
  readonly agent: string;
  /** Only if it was not accepted meanwhile. */
  readonly offeredOnly?: true;
  /** What this replica knows of the step, if it offered it. */
  readonly known?: HeldStep | undefined;
  /** Its agent's link, if what becomes ready by this may be offered to it at once. */
  readonly link?: AgentLink | undefined;
};

export type Ruling = "ok" | "fenced";

export interface Finished {
  readonly rulings: readonly Ruling[];
  readonly wrote: Wrote;
  readonly opened: NonNullable<Succeeded["opened"]>;
  /** Those that had been recorded before: we may have lost the answer, and with it what was offered by it. */
  readonly repeated: readonly AgentFinish[];
}

/**
 * Records endings of attempts. A repeated one hears "ok" again; one of a stale epoch hears "fenced", and changes nothing. Plain
 * successes go together in one statement; the rest, and what that statement did not find under way, is looked at one by one.
 */
export async function finishSteps(
  database: Database,
  finishes: readonly AgentFinish[],
  plans: Plans,
): Promise<Finished> {
  const hot = finishes.flatMap((finish, at) => asSuccess(finish, at) ?? []).sort(byPlace);
  const succeeded = hot.length > 0 ? await succeedSteps(database, hot) : undefined;
  const ended = new Set(succeeded?.ended ?? []);
  const others = finishes.filter((_, at) => !ended.has(at));
  const slow =
    others.length > 0 ? await database.transact((sql) => finishOneByOne(sql, others, plans)) : undefined;
  let other = 0;
  const rulings = finishes.map(
    (_, at): Ruling => (ended.has(at) ? "ok" : (slow?.rulings[other++] ?? "fenced")),
  );
  const opened = succeeded?.opened ?? [];
  const wrote = slow?.wrote ?? wroteNothing;
  return {
    rulings,
    opened,
    repeated: slow?.repeated ?? [],
    wrote: {
      ...wrote,
      ready: wrote.ready || opened.some(({ state }) => state === "ready"),
      due: wrote.due || opened.some(({ state }) => state === "due"),
      settles: wrote.settles || succeeded?.settles === true,
      released: [...wrote.released, ...(succeeded?.released ?? [])],
    },
  };
}

/** A plain success of a step that we know, none of whose followers has a time to keep. */
function asSuccess(finish: AgentFinish, at: number): Success | undefined {
  const { known, outcome, run, seq, epoch, agent } = finish;
  if (known === undefined || outcome !== "succeeded") return undefined;
  const { plan, def, parent, head } = known;
  const after = parent === null ? (plan.after[def] ?? []) : [parent];
  if (after.some((place) => readyWakeMs(plan.graph.steps[place] as never) !== null)) return undefined;
  return {
    ...{ at, run, scope: head.scope, seq, epoch, agent },
    exitCode: finish.exitCode ?? null,
    outputs: finish.outputs ?? null,
    after: `{${after.join(",")}}`,
    session: finish.link?.session ?? null,
    place: parent !== null && plan.nextFollows[def] ? itemsLimitKey(run, parent) : null,
  };
}

function byPlace(a: Success, b: Success): number {
  return a.run < b.run ? -1 : a.run > b.run ? 1 : a.seq - b.seq;
}

async function finishOneByOne(
  sql: Sql,
  finishes: readonly AgentFinish[],
  plans: Plans,
): Promise<{ rulings: Ruling[]; repeated: AgentFinish[]; wrote: Wrote }> {
  const [runs, steps] = await lockBoth(sql, finishes, plans);
  const turn = openTurn();
  const done = new Set<string>();
  const repeated: AgentFinish[] = [];
  const rulings = finishes.map((finish): Ruling => {
    const step = steps.get(keyOf(finish));
    const run = runs.get(finish.run);
    if (step === undefined || run === undefined) return "fenced";
    const ruling = rule(step, finish);
    if (ruling === "ok") repeated.push(finish);
    if (ruling !== "apply") return ruling;
    if (!done.has(keyOf(finish))) attemptEnded(turn, run, step, finish);
    done.add(keyOf(finish));
    return "ok";
  });
  return { rulings, repeated, wrote: await writeTurn(sql, turn) };
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
function rule(step: StepRow, { epoch, agent, offeredOnly }: AgentFinish): "apply" | Ruling {
  if (step.epoch !== epoch || step.agent !== agent) return "fenced";
  if (offeredOnly && step.state !== "offered") return "ok";
  if (step.state === "offered" || step.state === "running" || step.reason === "lost") return "apply";
  return hasEnded(step.state) || step.reason === "retry" ? "ok" : "fenced";
}

export function keyOf({ run, seq }: { run: string; seq: number }): string {
  return `${run} ${seq}`;
}
