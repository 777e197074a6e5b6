import { type GraphStep, type Json, newUid, type StepState } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  changeOf,
  changeSteps,
  type Ending,
  endSteps,
  type Fewer,
  hasPlace,
  insertRunEvents,
  insertSteps,
  keepAttempts,
  lessPending,
  type NewRunEvent,
  type NewStep,
  type PastAttempt,
  type Progress,
  progressRuns,
  type RunRow,
  type StepChange,
  type StepRow,
  setPending,
} from "@reeve/store/runs";
import type { Plan } from "./plan.ts";
import type { RunDraft } from "./runs.ts";
import { readyWakeMs } from "./timeouts.ts";

/** A run under its lock, with its graph. */
export interface LockedRun {
  readonly row: RunRow;
  readonly plan: Plan;
}

export function definitionOf({ run, step }: { run: LockedRun; step: StepRow }): GraphStep {
  return run.plan.graph.steps[step.def] as GraphStep;
}

/**
 * What one transaction changes, gathered first and written then in a few statements: attempts that make room, new steps, ended
 * steps, changed ones, those that wait for fewer, and the runs' progress.
 */
export interface Turn {
  readonly endings: Ending[];
  readonly changes: StepChange[];
  readonly past: PastAttempt[];
  readonly events: NewRunEvent[];
  readonly steps: NewStep[];
  /** Runs that steps begin. */
  readonly children: RunDraft[];
  readonly pendings: { run: string; seq: number; pending: number; troubled: boolean }[];
  readonly fewer: Map<string, Fewer>;
  readonly progress: Map<string, Progress>;
  /** Limits under which there may be room now. */
  readonly released: Set<string>;
  /** Runs that are to be cancelled with this one, each in a transaction of its own. */
  readonly cancels: Map<string, string>;
}

export function openTurn(): Turn {
  return {
    endings: [],
    changes: [],
    past: [],
    events: [],
    steps: [],
    children: [],
    pendings: [],
    fewer: new Map(),
    progress: new Map(),
    released: new Set(),
    cancels: new Map(),
  };
}

export interface How {
  readonly why?: string;
  readonly exitCode?: number | null;
  readonly outputs?: Json;
  readonly startedAt?: string | null;
}

/** Ends a step, and tells those that wait for it. Returns the turn, as its like do, so that a decision can end with it. */
export function endStep(turn: Turn, run: LockedRun, step: StepRow, state: StepState, how: How = {}): Turn {
  const { run: id, seq } = step;
  const { why = "", exitCode = null, outputs = null, startedAt = null } = how;
  turn.endings.push({ run: id, scope: run.row.scope, seq, state, why, exitCode, outputs, startedAt });
  if (step.limitKey !== null) turn.released.add(step.limitKey);
  const definition = run.plan.graph.steps[step.def];
  const fails =
    step.parent === null &&
    definition?.mayFail === undefined &&
    (state === "failed" || (state === "cancelled" && run.row.cancelledAt === null));
  const { ended, failed, why: before } = turn.progress.get(id) ?? { ended: 0, failed: 0, why: "" };
  const told =
    before === "" && fails ? `${definition?.name} ${state}${why === "" ? "" : `: ${why}`}` : before;
  turn.progress.set(id, { id, ended: ended + 1, failed: failed + (fails ? 1 : 0), why: told });
  if (step.parent !== null) waitsForFewer(turn, run, step.parent, false);
  else
    for (const after of run.plan.after[step.def] ?? [])
      waitsForFewer(turn, run, after, state !== "succeeded");
  return turn;
}

function waitsForFewer(turn: Turn, { row, plan }: LockedRun, seq: number, troubled: boolean): void {
  const key = `${row.id} ${seq}`;
  const before = turn.fewer.get(key);
  turn.fewer.set(key, {
    run: row.id,
    seq,
    fewer: (before?.fewer ?? 0) + 1,
    troubled: troubled || before?.troubled === true,
    begin: row.pausedAt !== null ? "waiting" : row.cancelledAt !== null ? "due" : "ready",
    // While its run is paused nobody is to begin it.
    wakeMs: row.pausedAt !== null ? null : readyWakeMs(plan.graph.steps[seq] as GraphStep),
  });
}

export function changeStep(turn: Turn, step: StepRow, change: Partial<StepChange>): Turn {
  const changed = changeOf(step, change);
  turn.changes.push(changed);
  if (step.limitKey !== null && hasPlace(step) && !hasPlace(changed)) turn.released.add(step.limitKey);
  return turn;
}

/** What the step says of its latest attempt is kept, because another one will follow. */
export function keepAttempt(
  turn: Turn,
  { run, seq }: StepRow,
  state: PastAttempt["state"],
  why: string,
  exitCode: number | null = null,
): void {
  turn.past.push({ run, seq, state, why, exitCode });
}

export function tell(
  turn: Turn,
  event: { run: string; seq?: number; tone?: "warning"; reason: string; message: string; by?: string },
): void {
  const { run, seq = null, tone = "normal", reason, message, by = "" } = event;
  turn.events.push({ run, id: newUid(), seq, tone, reason, message, by });
}

export interface Wrote {
  /** Something became ready. */
  readonly ready: boolean;
  /** Something is to be decided. */
  readonly due: boolean;
  /** Runs to be settled now. */
  readonly settles: boolean;
  readonly released: readonly string[];
  readonly cancels: ReadonlyMap<string, string>;
  /** Running attempts were told to stop. */
  readonly stops: boolean;
  /** Soonest look at what was written, in ms. */
  readonly wakeMs: number | undefined;
}

export const wroteNothing: Wrote = {
  ready: false,
  due: false,
  settles: false,
  released: [],
  cancels: new Map(),
  stops: false,
  wakeMs: undefined,
};

/** Statements travel together; the database carries them out in this order. */
export async function writeTurn(sql: Sql, turn: Turn): Promise<Wrote> {
  const { endings, changes, past, events, steps, children, pendings, fewer, progress } = turn;
  const sent: Promise<unknown>[] = [];
  if (past.length > 0) sent.push(keepAttempts(sql, past));
  if (steps.length > 0) sent.push(insertSteps(sql, steps));
  if (endings.length > 0) sent.push(endSteps(sql, endings));
  if (changes.length > 0) sent.push(changeSteps(sql, changes));
  if (pendings.length > 0) sent.push(setPending(sql, pendings));
  const opened = fewer.size > 0 ? lessPending(sql, [...fewer.values()]) : Promise.resolve([]);
  const ended = progress.size > 0 ? progressRuns(sql, [...progress.values()]) : Promise.resolve([]);
  if (events.length > 0) sent.push(insertRunEvents(sql, events));
  const [open, runs] = await Promise.all([opened, ended, ...sent]);
  const states = new Set([...open, ...changes, ...steps].map((one) => one.state));
  const wakes = [...changes, ...steps, ...fewer.values()].flatMap((one) => one.wakeMs ?? []);
  return {
    ready: states.has("ready") || children.length > 0,
    due: states.has("due") || children.length > 0,
    settles: runs.some((run) => run.settles),
    released: [...turn.released],
    cancels: turn.cancels,
    stops: changes.some((change) => change.stopping),
    wakeMs: wakes.length > 0 ? wakes.reduce((a, b) => Math.min(a, b)) : undefined,
  };
}
