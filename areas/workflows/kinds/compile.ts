import {
  Fault,
  type FieldError,
  type GraphStep,
  type JsonObject,
  parseDuration,
  type Retry,
  type RunGraph,
  type StepTimeouts,
} from "@reeve/model";
import { bodyOf } from "./body.ts";
import { expressionErrors } from "./expressions.ts";
import { endingOf } from "./notify.ts";
import { type Order, orderOf } from "./order.ts";
import { scheduleErrors } from "./schedule-errors.ts";
import type { StepSpec } from "./step.ts";
import { bareExpression } from "./words.ts";
import type { WorkflowSpec } from "./workflow.ts";

/** Turns a workflow into the graph its runs follow. Pure. Every problem is told at once, each with a pointer to its place. */
export function compile(name: string, spec: WorkflowSpec): RunGraph {
  const order = orderOf(spec.steps);
  const errors = [...order.errors, ...expressionErrors(spec, order), ...scheduleErrors(spec)];
  if (errors.length > 0) throw refusal(errors);
  const ending = endingOf(spec);
  const places = new Map(order.sorted.map((at, place) => [at, place]));
  return {
    steps: order.sorted.map((at) => graphStep(spec, order, at, places)),
    ...(spec.outputs ? { outputs: spec.outputs as JsonObject } : {}),
    ...(spec.concurrency
      ? {
          limit: {
            // What is no valid name cannot be somebody's own key by chance.
            key: spec.concurrency.key ?? `workflow:${name}`,
            most: spec.concurrency.most,
            over: spec.concurrency.over,
          },
        }
      : {}),
    ...(spec.timeout ? { timeoutMs: parseDuration(spec.timeout) } : {}),
    ...(ending ? { ending } : {}),
  };
}

function graphStep(
  spec: WorkflowSpec,
  order: Order,
  at: number,
  places: ReadonlyMap<number, number>,
): GraphStep {
  const step = spec.steps[at] as StepSpec;
  const when = step.when === undefined ? undefined : bareExpression(step.when);
  const rule = step.rule ?? (step.cleanup ? "all-done" : "all-succeeded");
  const { limit, priority, selector, effect } = step;
  return {
    name: step.name,
    needs: (order.needs[at] as readonly number[]).map((need) => places.get(need) as number),
    rule,
    body: bodyOf(step, spec.env),
    ...(when === undefined ? {} : { when }),
    ...(step.each === undefined ? {} : { over: fanOut(step) }),
    ...(step.cleanup ? { cleanup: true as const } : {}),
    ...(step.mayFail ? { mayFail: true as const } : {}),
    ...(step.retry ? { retry: retryOf(step.retry) } : {}),
    ...(step.timeouts ? { timeouts: timeoutsOf(step.timeouts) } : {}),
    ...(limit ? { limit } : {}),
    ...(priority ? { priority } : {}),
    ...(selector ? { selector } : {}),
    ...(effect ? { effect } : {}),
    ...(step.exclusive ? { exclusive: true as const } : {}),
  };
}

function fanOut({ each, atOnce }: StepSpec): NonNullable<GraphStep["over"]> {
  const items = Array.isArray(each) ? each : (bareExpression(each as string) as string);
  return { items, ...(atOnce === undefined ? {} : { atOnce }) };
}

function retryOf({ times, delay, factor, most }: NonNullable<StepSpec["retry"]>): Retry {
  return {
    times,
    delayMs: parseDuration(delay),
    ...(factor === undefined ? {} : { factor }),
    ...(most === undefined ? {} : { mostMs: parseDuration(most) }),
  };
}

function timeoutsOf(timeouts: NonNullable<StepSpec["timeouts"]>): StepTimeouts {
  const named = Object.entries(timeouts).map(([name, text]) => [`${name}Ms`, parseDuration(text as string)]);
  return Object.fromEntries(named) as StepTimeouts;
}

function refusal(errors: readonly FieldError[]): Fault {
  const first = errors[0] as FieldError;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new Fault("invalid", `${first.pointer}: ${first.message}${more}`, {
    errors,
    next: "correct the named places and apply it again",
  });
}
