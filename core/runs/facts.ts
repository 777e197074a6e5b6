import type { ExpressionScope, GraphStep, Json, JsonObject } from "@reeve/model";
import type { RunHead, StepFact } from "@reeve/store/runs";
import type { Plan } from "./plan.ts";

type Speaker = Pick<RunHead, "id" | "scope" | "name" | "inputs" | "cause" | "scheduledAt">;

/** What expressions of a run see. */
export function expressionScope(
  run: Speaker,
  plan: Plan,
  facts: readonly StepFact[],
  of?: { item: Json; parent: number | null },
): ExpressionScope {
  const { id, scope, name, inputs, cause, scheduledAt } = run;
  const steps = Object.fromEntries(
    facts.map(({ seq, state, outputs }) => [
      (plan.graph.steps[seq] as GraphStep).name,
      { state, outputs: (outputs ?? {}) as JsonObject | JsonObject[] },
    ]),
  );
  const spoken: JsonObject = { id, scope, name, cause, ...(scheduledAt === null ? {} : { scheduledAt }) };
  const item = of === undefined || of.parent === null ? {} : itemOf(of.item);
  return { inputs, steps, run: spoken, ...item };
}

/** An item's row holds its place with it. */
function itemOf(stored: Json): { item: Json; index: number } {
  const { item, index } = stored as { item: Json; index: number };
  return { item, index };
}
