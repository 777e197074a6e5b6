import { itemSeqs, type PastAttempt, type Run, type RunEvent, type Step, type StepState } from "@reeve/model";
import type { Database } from "@reeve/store";
import {
  type AttemptRead,
  countItems,
  type ItemCount,
  type RunRead,
  readAttempts,
  readRun,
  readRunAttempts,
  readRunEvents,
  readSteps,
  type StepFilter,
  type StepRead,
} from "@reeve/store/runs";
import type { FactsReader } from "./facts.ts";
import { type Around, showRun, showStep } from "./show.ts";

/** Fan-outs of up to so many items are followed item by item, larger ones by their counts. */
const itemsFollowed = 100;
/** No graph has more steps. */
const graphMost = 10_000;

export interface Whole {
  readonly run: Run;
  readonly steps: readonly Step[];
}

/** What a follower is shown: the run, the steps of its graph, and the items of its smaller fan-outs. */
export async function readWhole(
  database: Database,
  facts: FactsReader,
  id: string,
): Promise<Whole | undefined> {
  const read = await readRun(database, id);
  if (read === undefined) return undefined;
  const { length } = read.graph.steps;
  const [rows, items] = await Promise.all([
    readSteps(database, id, { after: -1, before: length }, graphMost),
    countItems(database, id),
  ]);
  const small = [...totals(items)].filter(([, count]) => count <= itemsFollowed);
  const each = small.map(([parent]) => readSteps(database, id, itemSeqs(parent), itemsFollowed));
  // As it happened, for who reads line by line; a fan-out after its items.
  const all = [...(await Promise.all(each)).flat(), ...rows].sort((a, b) =>
    latest(a) < latest(b) ? -1 : latest(a) > latest(b) ? 1 : 0,
  );
  const around = { read, items, states: statesOf(rows), facts: await facts(read, all) };
  return { run: showRun(read, around.facts), steps: all.map((row) => showStep(row, around)) };
}

function latest({ endedAt, startedAt, readyAt }: StepRead): string {
  return endedAt ?? startedAt ?? readyAt ?? "9999";
}

function totals(items: readonly ItemCount[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { parent, count } of items) sums.set(parent, (sums.get(parent) ?? 0) + count);
  return sums;
}

function statesOf(rows: readonly StepRead[]): Map<number, StepState> {
  return new Map(rows.map((row) => [row.seq, row.state]));
}

export async function readRunNow(facts: FactsReader, read: RunRead): Promise<Run> {
  return showRun(read, await facts(read, []));
}

/** A page of steps, in the order of their seqs. */
export async function readStepPage(
  database: Database,
  facts: FactsReader,
  read: RunRead,
  filter: StepFilter,
  limit: number,
): Promise<{ items: Step[]; next: number | undefined }> {
  const { length } = read.graph.steps;
  const [rows, items] = await Promise.all([
    readSteps(database, read.run.id, filter, limit),
    read.graph.steps.some((step) => step.over !== undefined) ? countItems(database, read.run.id) : [],
  ]);
  const blocked = rows.some((row) => row.state === "blocked");
  const states = blocked
    ? await readSteps(database, read.run.id, { after: -1, before: length }, graphMost)
    : rows;
  const around: Around = { read, items, states: statesOf(states), facts: await facts(read, rows) };
  return {
    items: rows.map((row) => showStep(row, around)),
    next: rows.length === limit ? rows.at(-1)?.seq : undefined,
  };
}

export async function readPast(
  database: Database,
  run: string,
  seq: number,
  limit: number,
): Promise<PastAttempt[]> {
  return (await readAttempts(database, run, seq, limit)).map(showAttempt);
}

export async function readAllPast(
  database: Database,
  run: string,
  after: string | undefined,
  limit: number,
): Promise<{ items: PastAttempt[]; next: string | undefined }> {
  const [seq = -1, epoch = 0] = (after ?? "-1.0").split(".").map(Number);
  const rows = await readRunAttempts(database, run, { seq, epoch }, limit);
  const last = rows.at(-1);
  return {
    items: rows.map(showAttempt),
    next: last !== undefined && rows.length === limit ? `${last.seq}.${last.epoch}` : undefined,
  };
}

function showAttempt({ epoch: _, host, exitCode, startedAt, ...row }: AttemptRead): PastAttempt {
  return {
    ...row,
    ...(host === null ? {} : { host }),
    ...(exitCode === null ? {} : { exitCode }),
    ...(startedAt === null ? {} : { startedAt }),
  };
}

export async function readEvents(
  database: Database,
  run: string,
  after: string | undefined,
  limit: number,
): Promise<{ items: RunEvent[]; next: string | undefined }> {
  const rows = await readRunEvents(database, run, after, limit);
  return {
    items: rows.map(({ id: _, seq, ...row }) => ({ ...row, ...(seq === null ? {} : { seq }) })),
    next: rows.length === limit ? rows.at(-1)?.id : undefined,
  };
}
