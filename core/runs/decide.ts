import {
  type ExpressionScope,
  evaluate,
  type FanOut,
  Fault,
  fillTemplates,
  type GraphStep,
  type Json,
  type JsonObject,
  type StepState,
} from "@reeve/model";

/** What becomes of a step that is due. Pure: the same facts give the same decision on every replica. */
export type Decision =
  | { readonly to: "begin" }
  | { readonly to: "items"; readonly items: readonly Json[] }
  | {
      readonly to: "end";
      readonly state: "succeeded" | "failed" | "skipped";
      readonly why: string;
      readonly outputs?: Json;
    };

export interface Facts {
  /** The steps it needs, by name and state. */
  readonly needs: readonly { readonly name: string; readonly state: StepState }[];
  readonly scope: ExpressionScope;
}

/** More would be a program that writes a program; a list that long belongs into one step. */
const itemsMost = 100_000;

export function decide(step: GraphStep, facts: Facts): Decision {
  const missing = unmet(step, facts.needs);
  if (missing !== undefined) return { to: "end", state: "skipped", why: missing };
  try {
    if (step.when !== undefined && evaluate(step.when, facts.scope) !== true)
      return { to: "end", state: "skipped", why: "its condition does not hold" };
    if (step.over === undefined) return { to: "begin" };
    const items = itemsOf(step.over, facts.scope);
    return items.length === 0
      ? { to: "end", state: "succeeded", why: "nothing to do: its list is empty", outputs: [] }
      : { to: "items", items };
  } catch (error) {
    return { to: "end", state: "failed", why: wordsOf(error) };
  }
}

/** Why the rule does not hold; undefined when it does. */
function unmet({ rule, needs }: GraphStep, seen: Facts["needs"]): string | undefined {
  const succeeded = seen.filter(({ state }) => state === "succeeded");
  const failed = seen.filter(({ state }) => state === "failed");
  switch (rule) {
    case "all-done":
      return undefined;
    case "all-succeeded": {
      const other = seen.find(({ state }) => state !== "succeeded");
      return other && `${other.name} ${other.state === "failed" ? "failed" : `was ${other.state}`}`;
    }
    case "any-succeeded":
      return needs.length === 0 || succeeded.length > 0 ? undefined : "nothing that it needs has succeeded";
    case "any-failed":
      return failed.length > 0 ? undefined : "nothing that it needs has failed";
  }
}

function itemsOf({ items }: FanOut, scope: ExpressionScope): readonly Json[] {
  const list =
    typeof items === "string" ? evaluate(items, scope) : fillTemplates([...items] as Json[], scope);
  if (!Array.isArray(list))
    throw new Fault("invalid", "what it is done for each of is not a list", {
      next: "give a list, or an expression that gives one",
    });
  if (list.length > itemsMost)
    throw new Fault("invalid", `its list has ${list.length} items; at most ${itemsMost} can be`, {
      next: "let one step do many of them",
    });
  return list;
}

export function wordsOf(error: unknown): string {
  if (error instanceof Fault)
    return error.next === undefined ? error.message : `${error.message}; ${error.next}`;
  throw error;
}

/** How a fan-out ended, from its items. */
export function gathered(items: readonly { state: StepState; outputs: Json }[]): {
  state: "succeeded" | "failed" | "cancelled";
  why: string;
  outputs: Json;
} {
  const count = (state: StepState) => items.filter((item) => item.state === state).length;
  const [failed, cancelled] = [count("failed"), count("cancelled")];
  const outputs = items.map((item) => (item.outputs ?? {}) as JsonObject);
  if (failed > 0) return { state: "failed", why: `${failed} of ${items.length} failed`, outputs };
  if (cancelled > 0)
    return { state: "cancelled", why: `${cancelled} of ${items.length} were cancelled`, outputs };
  return { state: "succeeded", why: "", outputs };
}
