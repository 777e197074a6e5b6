import type { Json, JsonObject } from "./resource.ts";
import type { StepBody } from "./run-graph.ts";
import type { Scope } from "./scope.ts";

export const runStates = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"] as const;
export type RunState = (typeof runStates)[number];

export const stepStates = [
  "blocked",
  "due",
  "ready",
  "offered",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
] as const;
export type StepState = (typeof stepStates)[number];

/** Why a step waits; what people read is made from it, with names. */
export const waitReasons = [
  "retry",
  "timer",
  "approval",
  "paused",
  "limit",
  "items",
  "run",
  "resource",
  "lost",
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** What only a person can end: an approval, and what became of an attempt that may not happen twice. */
export const personReasons = ["approval", "lost"] as const satisfies readonly WaitReason[];
export type PersonReason = (typeof personReasons)[number];

const endedStates: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "skipped"]);

/** For runs and steps alike. */
export function hasEnded(state: RunState | StepState): boolean {
  return endedStates.has(state);
}

/** Who or what began a run. */
export const runCauses = ["person", "schedule", "webhook", "run", "backfill", "retry", "reconciler"] as const;
export type RunCause = (typeof runCauses)[number];

/** The definition a run was made from, pinned to a generation. */
export interface RunAbout {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
}

/** The step for which a run waits. */
export interface RunWait {
  readonly seq: number;
  readonly step: string;
  readonly reason: WaitReason | "agent";
  readonly why: string;
}

/** A run as the API shows it. */
export interface Run {
  readonly id: string;
  readonly scope: Scope;
  readonly about: RunAbout;
  readonly state: RunState;
  /** In words: why it is queued, paused, or how it ended. */
  readonly why: string;
  readonly cause: RunCause;
  /** Who began it, as `user:ada`; of a schedule or webhook its name. */
  readonly by: string;
  readonly inputs: JsonObject;
  readonly outputs?: JsonObject;
  readonly priority: number;
  /** The tick a scheduled or backfilled run stands for. */
  readonly scheduledAt?: string;
  readonly parent?: { readonly run: string; readonly seq: number };
  readonly paused: boolean;
  readonly cancelling: boolean;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** In lists: the first step that waits for a person, or, when nothing of the run goes on, the first that waits at all. */
  readonly waits?: RunWait;
}

/** A run in short: enough to draw how the last runs of a definition went. */
export interface RunResult extends Pick<Run, "id" | "state" | "why" | "createdAt" | "startedAt" | "endedAt"> {
  /** The uid of the definition. */
  readonly of: string;
}

/** Places of items come after those of the graph, and apart for every fan-out, so that they need not be counted. */
export const itemSeqBase = 1_000_000;

/** The seqs that the items of a fan-out can have: after one, before another. */
export function itemSeqs(fanOut: number): { readonly after: number; readonly before: number } {
  return { after: itemSeqBase * (fanOut + 1) - 1, before: itemSeqBase * (fanOut + 2) };
}

/** A step of a run as the API shows it. */
export interface Step {
  readonly seq: number;
  /** `load`, or `load[3]` for an item of a fan-out. */
  readonly name: string;
  readonly state: StepState;
  readonly reason?: WaitReason;
  /** In words: what it waits for, or how it ended. */
  readonly why: string;
  /** Seqs of the steps it needs. */
  readonly needs: readonly number[];
  readonly does: StepBody["does"];
  /** Also done when the run fails or is cancelled. */
  readonly cleanup?: true;
  /** The fan-out it is an item of. */
  readonly parent?: number;
  readonly item?: Json;
  /** Of a fan-out: how many of its items are in each state. */
  readonly items?: Readonly<Partial<Record<StepState, number>>>;
  readonly executor?: string;
  readonly attempt: number;
  readonly epoch: number;
  /** The host it is or was on. */
  readonly host?: string;
  readonly readyAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** When it goes on by itself: the next attempt, the end of a wait or of an approval's time. */
  readonly nextAt?: string;
  readonly exitCode?: number;
  readonly outputs?: JsonObject;
  /** The run it has begun. */
  readonly child?: string;
}

/** An attempt of a step that was followed by another. */
export interface PastAttempt {
  readonly seq: number;
  readonly attempt: number;
  readonly state: "succeeded" | "failed" | "cancelled" | "lost" | "returned";
  readonly why: string;
  readonly host?: string;
  readonly exitCode?: number;
  readonly startedAt?: string;
  readonly endedAt: string;
}

/** What happened to a run beyond its states. */
export interface RunEvent {
  readonly at: string;
  readonly seq?: number;
  readonly tone: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
  readonly by: string;
}
