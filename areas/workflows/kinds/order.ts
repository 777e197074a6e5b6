import type { FieldError } from "@reeve/model";
import type { StepSpec } from "./step.ts";

/** The part of a step that its place follows from. */
type OrderedStep = Pick<StepSpec, "name" | "needs" | "cleanup">;

/** What each step needs, and an order in which each stands after those. Places are those in the spec. */
export interface Order {
  readonly needs: readonly (readonly number[])[];
  /** With all that those need in turn. */
  readonly before: readonly ReadonlySet<number>[];
  readonly sorted: readonly number[];
  readonly errors: readonly FieldError[];
}

/**
 * A step needs what it says; the step written before it when it says nothing, so that a plain list is done in its order. A
 * cleanup step that says nothing needs all that is no cleanup.
 */
export function orderOf(steps: readonly OrderedStep[]): Order {
  const errors: FieldError[] = [];
  const places = new Map<string, number>();
  for (const [at, { name }] of steps.entries()) {
    if (places.has(name))
      errors.push({ pointer: `/spec/steps/${at}/name`, message: `another step is called ${name} already` });
    else places.set(name, at);
  }
  const needs = steps.map((step, at) => {
    if (step.needs === undefined) return usualNeeds(steps, at);
    return [...new Set(step.needs)].flatMap((name) => {
      const place = places.get(name);
      if (place !== undefined && place !== at) return [place];
      const message = place === at ? "a step cannot need itself" : `there is no step ${name}`;
      errors.push({ pointer: `/spec/steps/${at}/needs/${step.needs?.indexOf(name)}`, message });
      return [];
    });
  });
  const sorted = sortedBy(needs);
  if (sorted.length < steps.length) errors.push(circleError(steps, needs, sorted));
  const before: Set<number>[] = steps.map(() => new Set());
  for (const at of sorted)
    for (const need of needs[at] as readonly number[])
      for (const one of [need, ...(before[need] as Set<number>)]) before[at]?.add(one);
  return { needs, before, sorted, errors };
}

function usualNeeds(steps: readonly OrderedStep[], at: number): number[] {
  const others = steps.flatMap((step, place) => (step.cleanup || place === at ? [] : [place]));
  if (steps[at]?.cleanup) return others;
  return others.filter((place) => place < at).slice(-1);
}

/** As they are written, as far as their needs allow; what is in a circle, or behind one, is left out. */
function sortedBy(needs: readonly (readonly number[])[]): number[] {
  const open = needs.map((list) => list.length);
  const followers: number[][] = needs.map(() => []);
  for (const [at, list] of needs.entries()) for (const need of list) followers[need]?.push(at);
  const ready = open.flatMap((count, at) => (count === 0 ? [at] : []));
  const sorted: number[] = [];
  while (ready.length > 0) {
    ready.sort((a, b) => a - b);
    const at = ready.shift() as number;
    sorted.push(at);
    for (const next of followers[at] as number[]) {
      open[next] = (open[next] as number) - 1;
      if (open[next] === 0) ready.push(next);
    }
  }
  return sorted;
}

function circleError(
  steps: readonly OrderedStep[],
  needs: readonly (readonly number[])[],
  sorted: readonly number[],
): FieldError {
  const fine = new Set(sorted);
  const way: number[] = [];
  let at = steps.findIndex((_, place) => !fine.has(place));
  while (!way.includes(at)) {
    way.push(at);
    at = needs[at]?.find((need) => !fine.has(need)) as number;
  }
  const circle = [...way.slice(way.indexOf(at)), at].map((place) => steps[place]?.name).reverse();
  return { pointer: `/spec/steps/${at}/needs`, message: `${circle.join(" → ")} is a circle` };
}
