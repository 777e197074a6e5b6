import { type GraphStep, hasEnded, type Run, type Step, type StepState } from "@reeve/model";
import type { ItemCount, RunRead, StepRead } from "@reeve/store/runs";
import type { WaitFacts } from "./facts.ts";
import { clock, whyReady } from "./waiting.ts";

/** What a page of steps must know beyond its rows. */
export interface Around {
  readonly read: RunRead;
  readonly items: readonly ItemCount[];
  /** The states of the steps that stand in the graph. */
  readonly states: ReadonlyMap<number, StepState>;
  readonly facts: WaitFacts;
}

export function showRun({ run, limitKey }: RunRead, facts: WaitFacts): Run {
  if (run.state !== "queued" || limitKey === null) return run;
  const holders = facts.holders(limitKey);
  return { ...run, why: holders === "" ? run.why : `${run.why}: waits for ${holders}` };
}

export function showStep(row: StepRead, around: Around): Step {
  const definition = around.read.graph.steps[row.def] as GraphStep;
  const counts = around.items.filter((count) => count.parent === row.seq);
  const { body } = definition;
  const isFanOut = definition.over !== undefined && row.parent === null;
  return {
    seq: row.seq,
    name: nameOf(row, definition),
    state: row.state,
    ...(row.reason === null ? {} : { reason: row.reason }),
    why: whyOf(row, definition, around),
    needs: row.parent === null ? definition.needs : [],
    does: body.does,
    ...(definition.cleanup && { cleanup: true }),
    ...(row.parent === null ? {} : { parent: row.parent, item: row.item?.item ?? null }),
    ...(counts.length === 0
      ? {}
      : { items: Object.fromEntries(counts.map(({ state, count }) => [state, count])) }),
    ...(body.does === "execute" && !isFanOut ? { executor: body.executor } : {}),
    attempt: row.attempt,
    epoch: row.epoch,
    ...given("host", row.host),
    ...given("readyAt", row.readyAt),
    ...given("startedAt", row.startedAt),
    ...given("endedAt", row.endedAt),
    ...given("nextAt", row.state === "waiting" && row.reason !== "resource" ? row.wakeAt : null),
    ...given("exitCode", row.exitCode),
    ...given("outputs", row.outputs),
    ...given("child", body.does === "run" ? row.child : null),
  };
}

function given<Key extends string, Value>(key: Key, value: Value | null): { [K in Key]?: Value } {
  return value === null ? {} : ({ [key]: value } as { [K in Key]: Value });
}

export function nameOf({ item }: StepRead, { name }: GraphStep): string {
  return item === null ? name : `${name}[${item.index}]`;
}

/** In words, derived when somebody reads: what a step waits for changes without the step. */
function whyOf(row: StepRead, definition: GraphStep, around: Around): string {
  const { run, graph } = around.read;
  if (hasEnded(row.state)) return row.why;
  if (row.state === "blocked") {
    if (run.state === "queued") return "the run is queued";
    const open = definition.needs.filter((seq) => !hasEnded(around.states.get(seq) ?? "blocked"));
    return open.length === 0 ? row.why : `waits for ${open.map((seq) => graph.steps[seq]?.name).join(", ")}`;
  }
  if (row.state === "ready") {
    const facts = around.facts.ready(row);
    return facts === undefined ? row.why : whyReady(facts);
  }
  if (row.state === "waiting") {
    const holders = row.limitKey === null ? "" : around.facts.holders(row.limitKey);
    return whyWaiting(row, definition, holders, around.items);
  }
  // What runs on may still be lost, or be heard of again.
  const silent = ["stopped", "suspect", "lost"].includes(row.hostState ?? "");
  if (silent && row.hostSeenAt !== null)
    return `its agent ${row.host} is ${row.hostState}, last seen ${clock(row.hostSeenAt)}`;
  return row.why;
}

export function whyWaiting(
  row: StepRead,
  { body }: GraphStep,
  holders: string,
  items: readonly ItemCount[],
): string {
  const at = row.wakeAt === null ? "" : clock(row.wakeAt);
  switch (row.reason) {
    case "approval": {
      const text = row.why || (body.does === "approve" ? body.text : "");
      return `approval pending${at === "" ? "" : ` until ${at}`}: ${text}`;
    }
    case "timer":
      return `waits until ${at}`;
    case "retry":
      return `${row.why} (at ${at})`;
    case "paused":
      return "the run is paused";
    case "limit":
      return `its limit is reached${holders === "" ? "" : `: held by ${holders}`}`;
    case "items":
      return progressOf(items.filter((count) => count.parent === row.seq));
    case "run":
      return row.child === null ? "begins a run" : `waits for the run ${row.child.slice(-8)}`;
    default:
      return row.why;
  }
}

function progressOf(counts: readonly ItemCount[]): string {
  const sum = (fits: (state: StepState) => boolean) =>
    counts.filter(({ state }) => fits(state)).reduce((total, { count }) => total + count, 0);
  const parts = [`${sum(hasEnded)}/${sum(() => true)} done`];
  const [running, failed] = [sum((state) => state === "running"), sum((state) => state === "failed")];
  if (running > 0) parts.push(`${running} running`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(", ");
}
