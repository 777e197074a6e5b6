import {
  hasEnded,
  type JsonObject,
  type PastAttempt,
  type PersonReason,
  type Run,
  type RunCause,
  type RunEvent,
  type RunResult,
  type RunState,
  type Scope,
  type Step,
  type StepState,
} from "@reeve/model";
import { itemPath, type KindRef } from "./address.ts";
import { type FollowOptions, followEvents } from "./follow.ts";
import { type Mutation, mutationCall } from "./mutation.ts";
import type { Wire } from "./wire.ts";

/** Which runs; each part narrows. */
export interface RunQuery {
  /** With everything below it; without one, all that may be seen. */
  readonly scope?: Scope;
  /** Of the definition that has this name now; with `former`, of those that had it and were deleted. */
  readonly about?: { readonly kind: string; readonly name: string; readonly former?: boolean };
  readonly states?: readonly RunState[];
  readonly cause?: RunCause;
  readonly since?: string;
  readonly until?: string;
  /** With a step that waits for a person. */
  readonly waiting?: readonly PersonReason[];
}

/** What happened in a span of time; `queued` and `running` are at its end. */
export interface RunRate {
  readonly at: string;
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly queued: number;
  readonly running: number;
}

export interface StepQuery {
  /** The items of this fan-out only; `none` leaves items out. */
  readonly parent?: number | "none";
  /** This step or item only. */
  readonly seq?: number;
  readonly states?: readonly StepState[];
}

/** A workflow, or whatever else has the action `trigger`. */
export interface Definition {
  readonly kind: KindRef;
  readonly scope: Scope;
  readonly name: string;
}

export interface RunStart {
  readonly inputs?: JsonObject;
  readonly priority?: number;
}

export interface RunBeginning extends RunStart {
  /** The id of an ended run, whose inputs it has: what succeeded there, and is written as it was, is not done again. */
  readonly keep?: string;
}

export type RunNews = { readonly run: Run } | { readonly step: Step } | { readonly synced: true };
export type ListNews = { readonly run: Run } | { readonly removed: string } | { readonly synced: true };

type Steering = Pick<Mutation, "idempotencyKey" | "signal">;

/** The server answers for no more definitions at once. */
const latestMost = 200;

/** Runs, by their id or the last 8 or more characters of it. */
export interface RunsClient {
  /** Begins a run; the id is known before it has begun. */
  trigger(definition: Definition, start?: RunBeginning, options?: Mutation): Promise<string>;
  /** All or none. */
  triggerMany(definition: Definition, starts: readonly RunStart[], options?: Mutation): Promise<string[]>;
  /** Newest first, fetched as they are asked for. */
  list(query?: RunQuery, pageSize?: number): AsyncGenerator<Run, void>;
  /** The newest runs of each of these definitions, by their uids, in short. */
  latest(definitions: readonly string[], each?: number): Promise<readonly RunResult[]>;
  /** How many began and ended, waited and ran, over the last hours. */
  rates(query?: { readonly scope?: Scope; readonly hours?: number }): Promise<readonly RunRate[]>;
  get(run: string): Promise<Run>;
  steps(run: string, query?: StepQuery): AsyncGenerator<Step, void>;
  /** The earlier attempts of a step, newest first. */
  attempts(run: string, seq: number): Promise<readonly PastAttempt[]>;
  /** Those of all steps. */
  allAttempts(run: string): AsyncGenerator<PastAttempt, void>;
  events(run: string): AsyncGenerator<RunEvent, void>;
  /** The run and its steps, and then what changes, until it has ended. A lost connection is taken up again. */
  follow(run: string, options?: FollowOptions): AsyncGenerator<RunNews, void>;
  /** The newest runs that fit and what changes of them, until the signal ends it. */
  followList(query?: RunQuery, limit?: number, options?: FollowOptions): AsyncGenerator<ListNews, void>;
  cancel(run: string, why?: string, options?: Steering): Promise<Run>;
  /** At most 1000 at once; `more` says that there are others. */
  cancelMany(
    query: Omit<RunQuery, "waiting"> & { readonly scope: Scope },
    why?: string,
  ): Promise<{ cancelled: string[]; more: boolean }>;
  pause(run: string, options?: Steering): Promise<Run>;
  resume(run: string, options?: Steering): Promise<Run>;
  retry(run: string, from?: "start" | "failed", options?: Steering): Promise<Run>;
  skip(run: string, seq: number, as?: "succeeded", options?: Steering): Promise<Run>;
  approve(run: string, seq: number, note?: string, options?: Steering): Promise<Run>;
  reject(run: string, seq: number, note?: string, options?: Steering): Promise<Run>;
  decide(
    run: string,
    seq: number,
    outcome: "succeeded" | "failed" | "again",
    options?: Steering,
  ): Promise<Run>;
}

export function openRuns(wire: Wire): RunsClient {
  const at = (run: string) => `/api/v1/runs/${encodeURIComponent(run)}`;
  const steer = async (path: string, body: object, options?: Steering) =>
    (await wire.send(mutationCall({ path, body }, options))).body as Run;
  const act = async (definition: Definition, action: string, body: unknown, options?: Mutation) => {
    const path = `${itemPath(definition.kind, definition.scope, definition.name)}/actions/${action}`;
    return (await wire.send(mutationCall({ path, body }, options))).body;
  };

  async function* pages<Item>(path: string, query: Readonly<Record<string, string | number | undefined>>) {
    let from: string | undefined;
    do {
      const { body } = await wire.send({ path, query: { ...query, continue: from } });
      const { items, continue: next } = body as { items: Item[]; continue?: string };
      yield* items;
      from = next;
    } while (from !== undefined);
  }

  return {
    trigger: async (definition, start = {}, options) =>
      ((await act(definition, "trigger", start, options)) as { run: string }).run,
    triggerMany: async (definition, runs, options) =>
      ((await act(definition, "trigger-many", { runs }, options)) as { runs: string[] }).runs,
    list: (query, limit = 100) => pages<Run>("/api/v1/runs", { ...wordsOf(query), limit }),
    async latest(definitions, each) {
      const batches = Array.from({ length: Math.ceil(definitions.length / latestMost) }, (_, at) =>
        definitions.slice(at * latestMost, (at + 1) * latestMost),
      );
      const answers = await Promise.all(
        batches.map((of) => wire.send({ path: "/api/v1/runs/latest", query: { of: of.join(","), each } })),
      );
      return answers.flatMap(({ body }) => (body as { items: RunResult[] }).items);
    },
    get: async (run) => (await wire.send({ path: at(run) })).body as Run,
    steps: (run, { parent, seq, states } = {}) =>
      pages<Step>(`${at(run)}/steps`, { parent, seq, state: states?.join(","), limit: 1000 }),
    rates: async (query) =>
      ((await wire.send({ path: "/api/v1/runs/rates", query: { ...query } })).body as { items: RunRate[] })
        .items,
    attempts: async (run, seq) =>
      ((await wire.send({ path: `${at(run)}/steps/${seq}/attempts` })).body as { items: PastAttempt[] })
        .items,
    allAttempts: (run) => pages<PastAttempt>(`${at(run)}/attempts`, { limit: 1000 }),
    events: (run) => pages<RunEvent>(`${at(run)}/events`, { limit: 1000 }),
    async *follow(run, options) {
      let ended = false;
      for await (const { event, data } of followEvents(
        wire,
        { path: at(run), query: { watch: true } },
        options,
        () => ended,
      )) {
        if (event === "run") {
          const news = data as { run: Run };
          ended = hasEnded(news.run.state);
          yield news;
        } else if (event === "step") yield data as { step: Step };
        else if (event === "synced") yield { synced: true };
      }
    },
    async *followList(query, limit, options) {
      const call = { path: "/api/v1/runs", query: { ...wordsOf(query), limit, watch: true } };
      for await (const { event, data } of followEvents(wire, call, options, () => false)) {
        if (event === "run") yield data as { run: Run };
        else if (event === "removed") yield { removed: (data as { key: string }).key };
        else if (event === "synced") yield { synced: true };
      }
    },
    cancel: (run, why = "", options) => steer(`${at(run)}/cancel`, { why }, options),
    async cancelMany({ states, ...query }, why = "") {
      const { state: _, ...words } = wordsOf(query);
      const body = { ...words, ...(states === undefined ? {} : { state: states }), why };
      return (await wire.send(mutationCall({ path: "/api/v1/runs/cancel", body }))).body as never;
    },
    pause: (run, options) => steer(`${at(run)}/pause`, {}, options),
    resume: (run, options) => steer(`${at(run)}/resume`, {}, options),
    retry: (run, from = "start", options) => steer(`${at(run)}/retry`, { from }, options),
    skip: (run, seq, as, options) =>
      steer(`${at(run)}/steps/${seq}/skip`, as === undefined ? {} : { as }, options),
    approve: (run, seq, note = "", options) => steer(`${at(run)}/steps/${seq}/approve`, { note }, options),
    reject: (run, seq, note = "", options) => steer(`${at(run)}/steps/${seq}/reject`, { note }, options),
    decide: (run, seq, outcome, options) => steer(`${at(run)}/steps/${seq}/decide`, { outcome }, options),
  };
}

export function wordsOf({ scope, about, states, cause, since, until, waiting }: RunQuery = {}) {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(about === undefined ? {} : { about: `${about.kind}/${about.name}` }),
    ...(about?.former && { former: "true" }),
    ...(states === undefined ? {} : { state: states.join(",") }),
    ...(cause === undefined ? {} : { cause }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(waiting === undefined ? {} : { waiting: waiting.join(",") }),
  };
}
