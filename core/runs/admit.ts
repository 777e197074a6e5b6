import { fillTemplates, newUid } from "@reeve/model";
import type { Sql } from "@reeve/store";
import {
  endSteps,
  insertRunEvents,
  insertRuns,
  insertSteps,
  keepGraphs,
  lockLimits,
  type NewRun,
  type NewStep,
  type Queue,
  runsUnder,
  type Under,
} from "@reeve/store/runs";
import type { Means } from "./begin.ts";
import { type Kept, keptBy, nothingKept } from "./keep.ts";
import { type Plan, planOf } from "./plan.ts";
import { noQueue, queueOf } from "./queue-ids.ts";
import { withoutRoom } from "./quotas.ts";
import type { RunDraft } from "./runs.ts";
import { readyWakeMs } from "./timeouts.ts";

/** Writes runs with all steps of their graphs; those under a limit without room are queued, or given up. */
export async function admitRuns(
  sql: Sql,
  drafts: readonly RunDraft[],
  { plans, heads, queues, hooks, quotas }: Means,
): Promise<void> {
  if (drafts.length === 0) return;
  const planned: Planned[] = [];
  for (const draft of drafts) {
    const plan = planOf(draft.graph);
    const kept = draft.keeps === undefined ? nothingKept : await keptBy(sql, draft, plan, plans);
    planned.push({ draft, plan, kept });
  }
  const graphs = new Map(planned.map(({ plan }) => [plan.digest.toString("hex"), plan]));
  for (const plan of graphs.values()) plans.keep(plan);
  const queueId = await queues.ensure(planned.flatMap(({ draft, plan }) => queuesOf(draft.scope, plan)));
  const full = await withoutRoom(sql, drafts, quotas);
  const states = await statesOf(sql, planned, full);
  const rows = planned.map((one, at) => runRow(one, states[at] as Begin));
  heads.keep(rows);
  const begun = planned.filter((_, at) => states[at]?.state !== "skipped");
  const steps = planned.flatMap((one, at) =>
    (states[at] as Begin).state === "skipped" ? [] : stepRows(one, (states[at] as Begin).state, queueId),
  );
  const scopesOf = Map.groupBy(planned, ({ plan }) => plan.digest.toString("hex"));
  const sorted = [...graphs]
    .map(([hex, { digest, graph }]) => {
      const scopes = new Set(scopesOf.get(hex)?.map(({ draft }) => draft.scope));
      return { digest, graph, scopes: [...scopes] };
    })
    .sort((a, b) => Buffer.compare(a.digest, b.digest));
  // Sent together, carried out in this order.
  await Promise.all([keepGraphs(sql, sorted), insertRuns(sql, rows), insertSteps(sql, steps)]);
  for (const one of begun) await keepSteps(sql, one);
  const promised = drafts.filter(({ graph }) => graph.ending !== undefined);
  if (promised.length > 0) await hooks.admitted(sql, promised);
}

interface Planned {
  readonly draft: RunDraft;
  readonly plan: Plan;
  readonly kept: Kept;
}

interface Begin {
  readonly state: "running" | "queued" | "skipped";
  readonly limitKey: string | null;
  readonly why: string;
}

/** Who goes first is the order of the drafts; what is admitted here counts for those after it. */
async function statesOf(
  sql: Sql,
  planned: readonly Planned[],
  full: ReadonlyMap<string, string>,
): Promise<Begin[]> {
  const keys = planned.map(({ draft, plan }) => limitKeyOf(draft, plan));
  const limited = keys.filter((key) => key !== null);
  if (limited.length > 0) await lockLimits(sql, limited);
  const under = limited.length > 0 ? await runsUnder(sql, limited) : new Map<string, Under>();
  return planned.map(({ draft, plan }, at) => {
    const noRoom = full.get(draft.id);
    if (noRoom !== undefined) return { state: "skipped", limitKey: null, why: noRoom };
    const limitKey = keys[at] ?? null;
    const { limit } = plan.graph;
    if (limitKey === null || limit === undefined) return { state: "running", limitKey: null, why: "" };
    const { running, queued } = under.get(limitKey) ?? { running: 0, queued: 0 };
    const why = whyNoRoom(limit.most, { running, queued }, draft.parent !== undefined);
    if (why === undefined) {
      under.set(limitKey, { running: running + 1, queued });
      return { state: "running", limitKey, why: "" };
    }
    if (limit.over === "skip") return { state: "skipped", limitKey, why };
    under.set(limitKey, { running, queued: queued + 1 });
    return { state: "queued", limitKey, why };
  });
}

/**
 * Why one more run cannot begin under a limit; undefined when it can. Those that are queued count too: when one has just ended, the
 * room is theirs. Not for a run that another one waits for: that one may be what they are queued for.
 */
export function whyNoRoom(
  most: number,
  { running, queued }: Under,
  isWaitedFor: boolean,
): string | undefined {
  const before = isWaitedFor ? 0 : queued;
  if (running + before < most) return undefined;
  return `${running} of at most ${most} under way${before > 0 ? `, ${before} queued before it` : ""}`;
}

/** Keys are apart by scope and definition kind, so that nobody can fill another's limit. */
export function limitKeyOf({ scope, inputs }: RunDraft, { graph }: Plan): string | null {
  if (graph.limit === undefined) return null;
  const key = fillTemplates(graph.limit.key, { inputs, steps: {}, run: { scope } });
  return `run ${scope} ${typeof key === "string" ? key : JSON.stringify(key)}`;
}

function runRow({ draft, plan, kept }: Planned, { state, limitKey, why }: Begin): NewRun {
  const { graph } = plan;
  const settles =
    graph.outputs !== undefined ||
    graph.ending !== undefined ||
    draft.parent !== undefined ||
    limitKey !== null;
  const pushes = state === "queued" && graph.limit?.over === "cancel";
  return {
    id: draft.id,
    scope: draft.scope,
    kind: draft.about.kind,
    name: draft.about.name,
    uid: draft.about.uid,
    generation: draft.about.generation,
    graph: plan.digest,
    state,
    why,
    cause: draft.cause,
    by: draft.by,
    inputs: draft.inputs,
    priority: draft.priority ?? 0,
    limitKey,
    scheduledAt: draft.scheduledAt ?? null,
    parentRun: draft.parent?.run ?? null,
    parentSeq: draft.parent?.seq ?? null,
    open: state === "skipped" ? 0 : graph.steps.length - kept.size,
    settles,
    // One that pushes others out is looked at right away; one given up may have somebody to tell.
    timeoutMs: pushes || (state === "skipped" && settles) ? 0 : (graph.timeoutMs ?? null),
  };
}

function stepRows(
  { draft: { id, scope, priority = 0 }, plan, kept }: Planned,
  state: Begin["state"],
  queueId: (queue: Omit<Queue, "id">) => string,
): NewStep[] {
  return plan.graph.steps.map((step, seq) => {
    const pending = step.needs.filter((need) => !kept.has(need)).length;
    const first = pending === 0 && state === "running" && !kept.has(seq);
    const begins = first && plan.plain[seq] === true ? "ready" : first ? "due" : "blocked";
    const queue = step.selector?.includes("${{") ? undefined : queueOf(scope, step);
    return {
      run: id,
      scope,
      seq,
      def: seq,
      parent: null,
      item: undefined,
      state: begins,
      reason: null,
      pending,
      plain: plan.plain[seq] === true,
      queue: queue === undefined ? noQueue : queueId(queue),
      priority: priority + (step.priority ?? 0),
      limitKey: null,
      atMostOnce: step.effect === "at-most-once",
      exclusive: step.exclusive === true,
      epoch: 0,
      wakeMs: begins === "ready" ? readyWakeMs(step) : null,
    };
  });
}

/** What is kept has ended before the run began. */
async function keepSteps(sql: Sql, { draft: { id, scope, keeps }, plan, kept }: Planned): Promise<void> {
  if (keeps === undefined) return;
  const why = `kept from ${keeps}`;
  const how = { run: id, scope, state: "succeeded", why, exitCode: null, startedAt: null };
  if (kept.size > 0)
    await endSteps(
      sql,
      [...kept].map(([seq, outputs]) => ({ ...how, seq, outputs })),
    );
  const message = `${kept.size} of ${plan.graph.steps.length} steps are kept from ${keeps}`;
  await insertRunEvents(sql, [
    { run: id, id: newUid(), seq: null, tone: "normal", reason: "kept", message, by: "" },
  ]);
}

function queuesOf(scope: string, { graph }: Plan): Omit<Queue, "id">[] {
  return graph.steps.flatMap((step) => (step.selector?.includes("${{") ? [] : (queueOf(scope, step) ?? [])));
}
