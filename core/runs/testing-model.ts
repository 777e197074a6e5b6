import type { GraphStep, JsonObject, RunGraph, StepState, TriggerRule } from "@reeve/model";
import * as fc from "fast-check";
import { begins, step } from "./testing.ts";

/** Runs that are drawn, and a judge of how they end: what the words mean, written down a second time and as plainly as can be. */

/** How often a body fails before it succeeds. */
type Failures = number;

export interface DrawnStep {
  readonly does: GraphStep["body"]["does"];
  readonly needs: number[];
  readonly rule: TriggerRule;
  readonly failures: Failures;
  readonly retries: number;
  readonly mayFail: boolean;
  readonly holds: boolean | undefined;
  readonly items: Failures[] | undefined;
  readonly atOnce: number | undefined;
  readonly limited: boolean;
  /** Its body goes on only when it is told to. */
  readonly gated: boolean;
  /** The run that it begins is under a limit itself. */
  readonly narrow: boolean;
  /** Its body happens at most once, and of the first attempt nobody can tell whether it did. */
  readonly lost: boolean;
  /** Done after all others, whatever became of them and of the run. */
  readonly cleanup: boolean;
}

export interface DrawnRun {
  readonly steps: DrawnStep[];
  readonly line: { readonly key: string; readonly over: "queue" | "cancel" | "skip" } | undefined;
  readonly fate: Fate;
  /** Once it has ended, while others go on. */
  readonly retried: "start" | "failed" | undefined;
}

/** What somebody does to a run while it is under way, in this order. */
interface Fate {
  readonly paused: boolean;
  readonly cancelled: boolean;
}

export const mostOf: Readonly<Record<string, number>> = { shared: 4, narrow: 2, left: 3, right: 3, push: 3 };

const failures = fc.constantFrom<Failures>(0, 0, 0, 0, 1, 9);
const sometimes = fc.constantFrom(true, false, false, false, false, false, false, false);

const drawnStep = (at: number) =>
  fc
    .record<DrawnStep>({
      does: fc.constantFrom("execute", "execute", "execute", "run", "run", "wait", "make"),
      needs: at === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(at - 1), { maxLength: 3 }),
      rule: fc.constantFrom("all-succeeded", "all-succeeded", "any-succeeded", "all-done", "any-failed"),
      failures,
      retries: fc.constantFrom(0, 0, 1, 2),
      mayFail: fc.boolean(),
      holds: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
      items: fc.option(fc.array(failures, { maxLength: 6 }), { nil: undefined, freq: 4 }),
      atOnce: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      limited: fc.boolean(),
      gated: sometimes,
      narrow: fc.boolean(),
      lost: sometimes,
      cleanup: fc.constant(false),
    })
    // Of a bounded fan-out its own bound is all that counts: no workflow with both is recorded. And only agents lose attempts.
    .map((one) => ({
      ...one,
      limited: one.limited && !(one.items !== undefined && one.atOnce !== undefined),
      lost: one.lost && one.does === "execute",
    }));

/** The last one of many is a cleanup, as a workflow compiles it. */
const drawnSteps = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(true, true, false))
  .chain(([size, cleans]) => {
    const before = [...Array(size).keys()];
    const cleanup = drawnStep(size).map(
      (one): DrawnStep => ({ ...one, needs: before, rule: "all-done", cleanup: true }),
    );
    return fc.tuple(...before.map(drawnStep), ...(cleans ? [cleanup] : []));
  });

/** Paused and then cancelled is no rarer than either: what a pause holds up must not be held up for ever. */
const drawnFate = fc.constantFrom(
  ...Array<Fate>(4).fill({ paused: false, cancelled: false }),
  { paused: true, cancelled: false },
  { paused: false, cancelled: true },
  { paused: true, cancelled: true },
);

export const drawnRun = fc
  .record<DrawnRun>({
    steps: drawnSteps,
    line: fc.option(
      fc.constantFrom(
        { key: "left", over: "queue" } as const,
        { key: "right", over: "queue" } as const,
        { key: "right", over: "skip" } as const,
        { key: "push", over: "queue" } as const,
        { key: "push", over: "cancel" } as const,
      ),
      { nil: undefined },
    ),
    fate: drawnFate,
    retried: fc.constantFrom("start", "failed", undefined),
  })
  .map((one) => (one.fate.paused || one.fate.cancelled ? { ...one, steps: heldUp(one.steps) } : one));

/** Steps of a run that has not ended when something is done to it: its first one waits behind a gate. */
function heldUp([first, ...others]: DrawnStep[]): DrawnStep[] {
  const gate = { does: "execute", holds: undefined, items: undefined, gated: true, lost: false } as const;
  return [{ ...(first as DrawnStep), ...gate }, ...others];
}

/** What steps that begin a run begin. */
export const inner = (narrow: boolean): RunGraph => ({
  steps: [
    step("inner", { body: { does: "execute", executor: "noop", with: { told: "${{ inputs.told }}" } } }),
  ],
  ...(narrow ? { limit: { key: "narrow", most: mostOf.narrow as number, over: "queue" as const } } : {}),
});

export function graphOf({ steps, line }: DrawnRun): RunGraph {
  return {
    ...(line === undefined ? {} : { limit: { ...line, most: mostOf[line.key] as number } }),
    steps: steps.map((drawn, at): GraphStep => {
      const { needs, rule, mayFail, holds, items, atOnce, limited, retries, lost, cleanup } = drawn;
      return step(`s${at}`, {
        needs,
        rule,
        body: bodyOf(drawn, at),
        ...(mayFail ? { mayFail: true } : {}),
        ...(cleanup ? { cleanup: true } : {}),
        ...(retries === 0 ? {} : { retry: { times: retries, delayMs: 1 } }),
        ...(holds === undefined ? {} : { when: `inputs.yes == ${holds}` }),
        ...(items === undefined ? {} : { over: { items, ...(atOnce === undefined ? {} : { atOnce }) } }),
        ...(limited ? { limit: { key: "shared", most: mostOf.shared as number } } : {}),
        ...(lost ? { effect: "at-most-once" as const } : {}),
      });
    }),
  };
}

/** Bodies are told of which step of which run they are, and how often they are to fail. */
function bodyOf({ does, failures, items, narrow }: DrawnStep, at: number): GraphStep["body"] {
  const item =
    items === undefined ? { index: -1, failures } : { index: "${{ index }}", failures: "${{ item }}" };
  const told: JsonObject = { run: "${{ run.id }}", at, ...item };
  if (does === "run") return begins(narrow ? "narrow" : "wide", { told });
  if (does === "wait") return { does, ms: 1 };
  if (does === "make") return { does, kind: "Backup", spec: { told } };
  return { does: "execute", executor: "noop", with: { told } };
}

/** Of the states of a run's steps those of its cleanup. */
export function cleanupOf({ steps }: DrawnRun, states: readonly string[]): string[] {
  return states.filter((_, at) => steps[at]?.cleanup === true);
}

/** Under which limit a step is, or an item of it. */
export function limitOf(
  run: string,
  at: number,
  { items, atOnce, limited }: DrawnStep,
): { readonly key: string; readonly most: number } {
  if (items !== undefined && atOnce !== undefined) return { key: `items ${run} ${at}`, most: atOnce };
  if (limited) return { key: "shared", most: mostOf.shared as number };
  return { key: "none", most: Number.POSITIVE_INFINITY };
}

export function expected({ steps }: DrawnRun): { states: StepState[]; run: "succeeded" | "failed" } {
  const states: StepState[] = [];
  for (const { does, needs, rule, failures, retries, holds, items, lost } of steps) {
    const seen = needs.map((need) => states[need]);
    const met = {
      "all-succeeded": seen.every((state) => state === "succeeded"),
      "any-succeeded": seen.length === 0 || seen.includes("succeeded"),
      "all-done": true,
      "any-failed": seen.includes("failed"),
    }[rule];
    // The attempt that was lost was one of those that it has.
    const borne = lost ? Math.max(0, retries - 1) : retries;
    const fails = does !== "wait" && (items ?? [failures]).some((times) => times > borne);
    states.push(met && holds !== false ? (fails ? "failed" : "succeeded") : "skipped");
  }
  const failed = states.some((state, at) => state === "failed" && steps[at]?.mayFail === false);
  return { states, run: failed ? "failed" : "succeeded" };
}
