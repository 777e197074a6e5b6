import { isObject, type StepBody } from "@reeve/model";
import { orderOf } from "../../kinds/index.ts";

/** A step of a text that is still being written, as a graph draws it; its id is its place in the text. */
interface DraftStep {
  readonly id: number;
  readonly name: string;
  readonly needs: readonly number[];
  readonly does: StepBody["does"];
  readonly cleanup: boolean;
  readonly fanOut: boolean;
}

const bodies: readonly (readonly [string, StepBody["does"]])[] = [
  ["workflow", "run"],
  ["approve", "approve"],
  ["wait", "wait"],
  ["make", "make"],
];

/**
 * The steps that can be read of a manifest, each after those it needs. What is not right yet is passed over, so that the graph
 * stands while a person types: the errors are told elsewhere.
 */
export function draftSteps(manifest: unknown): DraftStep[] {
  const spec = isObject(manifest) && isObject(manifest.spec) ? manifest.spec : {};
  const written = (Array.isArray(spec.steps) ? spec.steps : []).map((step) => (isObject(step) ? step : {}));
  const { needs, sorted } = orderOf(
    written.map((step, at) => ({
      name: nameOf(step, at),
      ...(Array.isArray(step.needs) ? { needs: step.needs.map(String) } : {}),
      cleanup: step.cleanup === true,
    })),
  );
  const placed = new Set(sorted);
  // Steps of a circle are shown too, without what would close it.
  const inCircle = written.flatMap((_, at) => (placed.has(at) ? [] : [at]));
  return [...sorted, ...inCircle].map((at) => {
    const step = written[at] ?? {};
    return {
      id: at,
      name: nameOf(step, at),
      needs: (needs[at] ?? []).filter((need) => placed.has(need)),
      does: bodies.find(([field]) => step[field] !== undefined)?.[1] ?? "execute",
      cleanup: step.cleanup === true,
      fanOut: step.each !== undefined,
    };
  });
}

function nameOf(step: Readonly<Record<string, unknown>>, at: number): string {
  return typeof step.name === "string" && step.name !== "" ? step.name : `step ${at + 1}`;
}
