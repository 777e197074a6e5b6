import { checkExpression, type FieldError, isSealed, type Mentions, templatesIn } from "@reeve/model";
import type { Order } from "./order.ts";
import type { StepSpec } from "./step.ts";
import type { WorkflowSpec } from "./workflow.ts";

/** What may be spoken of in a place. */
interface Place {
  readonly value: unknown;
  readonly pointer: string;
  readonly roots: readonly string[];
  /** Names of steps that have surely ended by then. */
  readonly steps?: ReadonlySet<string>;
  readonly sealed?: true;
  /** A script that is no shell's: a value could not be kept apart from the code around it. */
  readonly closed?: string;
}

/** Everything wrong with the expressions of a workflow: how they are written, and what they speak of. */
export function expressionErrors(spec: WorkflowSpec, order: Order): FieldError[] {
  return placesOf(spec, order).flatMap((place) => errorsAt(place, spec));
}

function placesOf(spec: WorkflowSpec, order: Order): Place[] {
  const all = new Set(spec.steps.map((step) => step.name));
  const hooks = (spec.webhooks ?? []).flatMap(({ when, inputs }, at): Place[] => [
    { value: when, pointer: `/spec/webhooks/${at}/when`, roots: ["hook"] },
    { value: inputs, pointer: `/spec/webhooks/${at}/inputs`, roots: ["hook"] },
  ]);
  return [
    { value: spec.env, pointer: "/spec/env", roots: ["inputs", "run"], sealed: true },
    { value: spec.concurrency?.key, pointer: "/spec/concurrency/key", roots: ["inputs"] },
    ...spec.steps.flatMap((step, at) => placesOfStep(spec, step, at, order)),
    { value: spec.outputs, pointer: "/spec/outputs", roots: ["inputs", "run", "steps"], steps: all },
    ...hooks,
  ];
}

function placesOfStep(spec: WorkflowSpec, step: StepSpec, at: number, order: Order): Place[] {
  const pointer = `/spec/steps/${at}`;
  const steps = new Set([...(order.before[at] ?? [])].map((place) => spec.steps[place]?.name as string));
  const before = { roots: ["inputs", "run", "steps"], steps };
  const item = step.each === undefined ? [] : ["item", "index"];
  const inside = { roots: [...before.roots, ...item], steps, sealed: true as const };
  const place = (name: keyof StepSpec, rest: Pick<Place, "roots">): Place => ({
    value: step[name],
    pointer: `${pointer}/${name}`,
    ...rest,
  });
  return [
    place("when", before),
    place("each", before),
    place("run", inside),
    {
      ...place("python", inside),
      closed: "a value cannot stand in a script; put it into env, and read it there",
    },
    place("http", inside),
    place("with", inside),
    place("env", inside),
    { ...place("workflow", { roots: inside.roots }), steps },
    { ...place("approve", { roots: inside.roots }), steps },
    { ...place("selector", { roots: inside.roots }), steps },
    { value: step.limit?.key, pointer: `${pointer}/limit/key`, roots: inside.roots, steps },
  ];
}

function errorsAt(place: Place, spec: WorkflowSpec): FieldError[] {
  let found: { pointer: string; expression: string }[];
  try {
    found = templatesIn(place.value, place.pointer);
  } catch (error) {
    return [{ pointer: place.pointer, message: (error as Error).message }];
  }
  return found.flatMap(({ pointer, expression }) => {
    if (place.closed !== undefined) return [{ pointer, message: place.closed }];
    return messagesOf(place, expression, spec).map((message) => ({ pointer, message }));
  });
}

function messagesOf(place: Place, expression: string, spec: WorkflowSpec): string[] {
  if (isSealed(expression))
    return place.sealed ? [] : ["a secret is known only to scripts and executors, not here"];
  let mentions: Mentions;
  try {
    mentions = checkExpression(expression);
  } catch (error) {
    return [(error as Error).message];
  }
  const messages: string[] = [];
  const known = new Set(spec.steps.map((step) => step.name));
  for (const root of mentions.roots)
    if (!place.roots.includes(root))
      messages.push(`${root} cannot be spoken of here; ${place.roots.join(", ") || "no expression"} can`);
  for (const input of mentions.inputs)
    if (place.roots.includes("inputs") && !Object.hasOwn(spec.inputs ?? {}, input))
      messages.push(`there is no input ${input}`);
  for (const step of mentions.steps)
    if (!known.has(step)) messages.push(`there is no step ${step}`);
    else if (place.steps !== undefined && !place.steps.has(step))
      messages.push(`the step ${step} may not have ended by then; name it in needs`);
  return messages;
}
