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
import type { HeldStep } from "./links.ts";
import type { Plan } from "./plan.ts";
import type { Plans } from "./plans.ts";
import type { Held, OfferedStep } from "./runs.ts";

/** A step that was claimed, with the epoch and the attempt that it has by that. */
export type Claimed = Candidate;

export type Rendered =
  | { readonly claimed: Claimed; readonly step: HeldStep }
  /** Its words cannot be filled in: no attempt would change that. */
  | { readonly claimed: Claimed; readonly fault: string };

/** Heads of runs under way: they never change, and a run has many steps. The oldest goes when there are too many. */
export interface Heads {
  /** Of runs that this replica is just making: they will be asked for in a moment. */
  keep(heads: readonly RunHead[]): void;
  load(sql: Sql, ids: readonly string[]): Promise<(id: string) => RunHead | undefined>;
}

const headsMost = 5000;

export function openHeads(): Heads {
  const known = new Map<string, RunHead>();
  function keep(heads: readonly RunHead[]): void {
    for (const head of heads) known.set(head.id, head);
    for (const id of known.keys()) {
      if (known.size <= headsMost) break;
      known.delete(id);
    }
  }
  return {
    keep,
    async load(sql, ids) {
      const missing = [...new Set(ids)].filter((id) => !known.has(id));
      const read = missing.length > 0 ? await readHeads(sql, missing) : [];
      const fresh = new Map(read.map((head) => [head.id, head]));
      const found = (id: string) => known.get(id) ?? fresh.get(id);
      const answer = new Map(ids.map((id) => [id, found(id)]));
      keep(read);
      return (id) => answer.get(id);
    },
  };
}

/** What agents are told of steps that were just claimed. Reads only what never changes again. */
export async function renderOffers(
  sql: Sql,
  claimed: readonly Claimed[],
  { plans, heads }: { plans: Plans; heads: Heads },
): Promise<Rendered[]> {
  const headOf = await heads.load(
    sql,
    claimed.map((one) => one.run),
  );
  const planFor = await plans.load(
    sql,
    claimed.flatMap((one) => headOf(one.run)?.graph ?? []),
  );
  const looking = claimed.filter((one) => {
    const head = headOf(one.run);
    return head !== undefined && planFor(head.graph).looksBack[one.def];
  });
  const facts = looking.length > 0 ? await readFacts(sql, [...new Set(looking.map((one) => one.run))]) : [];
  const factsOf = Map.groupBy(facts, (fact) => fact.run);
  return claimed.flatMap((one) => {
    const head = headOf(one.run);
    return head === undefined ? [] : [render(one, head, planFor(head.graph), factsOf.get(one.run) ?? [])];
  });
}

function render(claimed: Claimed, head: RunHead, plan: Plan, facts: readonly StepFact[]): Rendered {
  const { name, body, timeouts } = plan.graph.steps[claimed.def] as GraphStep;
  if (body.does !== "execute") return { claimed, fault: "nothing that an agent does" };
  const { run, seq, epoch, attempt, def, parent, atMostOnce, exclusive } = claimed;
  try {
    const speaks = mentions(body.with);
    const filled = speaks ? fillTemplates(body.with, expressionScope(head, plan, facts, claimed)) : body.with;
    const offer: OfferedStep = {
      ...{ run, seq, epoch, attempt, atMostOnce, exclusive },
      executor: body.executor,
      with: filled,
      hasSecrets: speaks && mentionsSecrets(filled),
      scope: head.scope,
      workflow: head.name,
      step: stepName(name, claimed),
      ...(timeouts?.finishMs === undefined ? {} : { finishMs: timeouts.finishMs }),
      ...(timeouts?.heartbeatMs === undefined ? {} : { heartbeatMs: timeouts.heartbeatMs }),
    };
    return { claimed, step: { offer, head, plan, def, parent, offeredMs: performance.now() } };
  } catch (error) {
    return { claimed, fault: wordsOf(error) };
  }
}

/** What was offered to whoever holds a step now. */
export async function renderHeld(
  sql: Sql,
  held: Held,
  means: { plans: Plans; heads: Heads },
): Promise<OfferedStep | undefined> {
  const [rendered] = await renderOffers(sql, await peekSteps(sql, [held]), means);
  return rendered !== undefined && "step" in rendered ? rendered.step.offer : undefined;
}

/** `load[3]` for an item. */
function stepName(name: string, { parent, item }: Pick<Claimed, "parent" | "item">): string {
  return parent === null ? name : `${name}[${(item as { index: number }).index}]`;
}

const spoken = new WeakMap<JsonObject, boolean>();

/** Most bodies hold no expression, and one graph serves thousands of steps: looked for once. */
function mentions(value: JsonObject): boolean {
  const known = spoken.get(value) ?? /\$\{\{|"secretRef"/.test(JSON.stringify(value));
  spoken.set(value, known);
  return known;
}

/** Of what is filled in: all that is left are references to secrets and connections. */
function mentionsSecrets(value: JsonObject): boolean {
  return /\$\{\{|"secretRef"/.test(JSON.stringify(value));
}
