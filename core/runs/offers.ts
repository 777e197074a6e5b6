import { fillTemplates, type GraphStep, type JsonObject } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  type Candidate,
  peekSteps,
  type RunHead,
  readFacts,
  readHeads,
  type StepFact,
} from "@reeve/store/runs";
import { wordsOf } from "./decide.ts";
import { expressionScope } from "./facts.ts";
import type { Plan } from "./plan.ts";
import type { Plans } from "./plans.ts";
import type { Held, OfferedStep } from "./runs.ts";

export interface Rendered {
  readonly candidate: Candidate;
  readonly offer?: OfferedStep;
  /** Its words cannot be filled in: no attempt would change that. */
  readonly fault?: string;
}

/** What agents are told of steps that were just claimed. Reads only what never changes again. */
export async function renderOffers(
  sql: Sql,
  claimed: readonly Candidate[],
  plans: Plans,
): Promise<Rendered[]> {
  const heads = new Map(
    (await readHeads(sql, [...new Set(claimed.map((one) => one.run))])).map((head) => [head.id, head]),
  );
  const planFor = await plans.load(
    sql,
    [...heads.values()].map((head) => head.graph),
  );
  const looking = claimed.filter((one) => {
    const head = heads.get(one.run);
    return head !== undefined && planFor(head.graph).looksBack[one.def];
  });
  const facts = looking.length > 0 ? await readFacts(sql, [...new Set(looking.map((one) => one.run))]) : [];
  const factsOf = Map.groupBy(facts, (fact) => fact.run);
  return claimed.flatMap((candidate) => {
    const head = heads.get(candidate.run);
    return head === undefined
      ? []
      : [render(candidate, head, planFor(head.graph), factsOf.get(candidate.run) ?? [])];
  });
}

function render(candidate: Candidate, head: RunHead, plan: Plan, facts: readonly StepFact[]): Rendered {
  const { name, body, timeouts } = plan.graph.steps[candidate.def] as GraphStep;
  if (body.does !== "execute") return { candidate, fault: "nothing that an agent does" };
  try {
    const filled: JsonObject = mentions(body.with)
      ? fillTemplates(body.with, expressionScope(head, plan, facts, candidate))
      : body.with;
    return {
      candidate,
      offer: {
        run: candidate.run,
        seq: candidate.seq,
        epoch: candidate.epoch + 1,
        attempt: candidate.attempt + 1,
        executor: body.executor,
        with: filled,
        hasSecrets: mentionsSecrets(filled),
        atMostOnce: candidate.atMostOnce,
        exclusive: candidate.exclusive,
        scope: head.scope,
        workflow: head.name,
        step: stepName(name, candidate),
        ...(timeouts?.finishMs === undefined ? {} : { finishMs: timeouts.finishMs }),
        ...(timeouts?.heartbeatMs === undefined ? {} : { heartbeatMs: timeouts.heartbeatMs }),
      },
    };
  } catch (error) {
    return { candidate, fault: wordsOf(error) };
  }
}

/** What was offered to whoever holds a step now. */
export async function renderHeld(sql: Sql, held: Held, plans: Plans): Promise<OfferedStep | undefined> {
  const steps = await peekSteps(sql, [held]);
  const candidates = steps.map((step) => ({ ...step, epoch: step.epoch - 1, attempt: step.attempt - 1 }));
  return (await renderOffers(sql, candidates, plans))[0]?.offer;
}

/** `load[3]` for an item. */
function stepName(name: string, { parent, item }: Pick<Candidate, "parent" | "item">): string {
  return parent === null ? name : `${name}[${(item as { index: number }).index}]`;
}

const spoken = new WeakMap<JsonObject, boolean>();

/** Most bodies hold no expression, and one graph serves thousands of steps: looked for once. */
function mentions(value: JsonObject): boolean {
  const known = spoken.get(value) ?? JSON.stringify(value).includes("${{");
  spoken.set(value, known);
  return known;
}

/** Of what is filled in: all that is left are references to secrets and connections. */
function mentionsSecrets(value: JsonObject): boolean {
  return /\$\{\{|"secretRef"/.test(JSON.stringify(value));
}
