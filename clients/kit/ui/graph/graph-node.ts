import type { RunGraph, Step, StepBody, StepState } from "@reeve/model";

/** A step as the graph draws it, of a run or of a definition that has not run. */
export interface GraphNode {
  readonly id: number;
  readonly name: string;
  readonly needs: readonly number[];
  readonly does: StepBody["does"];
  readonly cleanup: boolean;
  readonly fanOut: boolean;
  readonly state?: StepState;
  /** In words: what it waits for, or how it ended. */
  readonly why?: string;
  readonly attempt?: number;
  readonly items?: Step["items"];
  readonly child?: string;
}

/** Items of a fan-out are counts of their step: it stays one node however many there are. */
export function nodesOfSteps(steps: readonly Step[]): GraphNode[] {
  return steps
    .filter((step) => step.parent === undefined)
    .sort((a, b) => a.seq - b.seq)
    .map(({ seq, name, needs, does, cleanup, state, why, attempt, items, child }) => ({
      ...{ id: seq, name, needs, does, cleanup: cleanup === true, fanOut: items !== undefined },
      ...{ state, why, attempt },
      ...(items !== undefined && { items }),
      ...(child !== undefined && { child }),
    }));
}

export function nodesOfGraph({ steps }: Pick<RunGraph, "steps">): GraphNode[] {
  return steps.map(({ name, needs, body, cleanup, over }, id) => ({
    ...{ id, name, needs, does: body.does, cleanup: cleanup === true, fanOut: over !== undefined },
  }));
}

/** `36 of 200 done, 1 failed, 3 running`; undefined for what has no items. */
export function itemsText(items: Step["items"]): string | undefined {
  if (items === undefined) return undefined;
  const sum = (...states: StepState[]) => states.reduce((total, state) => total + (items[state] ?? 0), 0);
  const all = Object.values(items).reduce((total, count) => total + count, 0);
  const parts = [`${sum("succeeded", "failed", "cancelled", "skipped")} of ${all} done`];
  if (sum("failed") > 0) parts.push(`${sum("failed")} failed`);
  if (sum("running", "offered") > 0) parts.push(`${sum("running", "offered")} running`);
  return parts.join(", ");
}
