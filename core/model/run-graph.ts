import type { JsonObject } from "./resource.ts";

/**
 * A run's graph: the one form that everything long is compiled to, whoever made it (a workflow, a deploy, a backup). Texts
 * anywhere in `with`, `inputs` and `outputs` may hold `${{ expression }}`; a field of the type Expression is one, bare.
 */
export interface RunGraph {
  /** In an order in which each step stands after those it needs. */
  readonly steps: readonly GraphStep[];
  /** What the run gives back, from its steps' outputs. */
  readonly outputs?: JsonObject;
  /** How many runs may be under way at once, and what happens to one too many. */
  readonly limit?: RunLimit;
  /** Over it, the run is cancelled and counts as failed. */
  readonly timeoutMs?: number;
  /** Reserved for whoever made the graph: the engine hands it to the ended hook (notifications, SLA) and looks no further. */
  readonly ending?: JsonObject;
}

/** A CEL expression, without the `${{ }}` around it. */
export type Expression = string;

export interface RunLimit {
  /** A text with `${{ }}` over inputs; runs with the same key share the limit. Keys are apart by scope. */
  readonly key: string;
  readonly most: number;
  /** `queue` waits, oldest first; `cancel` cancels the older runs; `skip` gives the new one up. */
  readonly over: "queue" | "cancel" | "skip";
}

export interface GraphStep {
  readonly name: string;
  /** Places in `steps` of those that must have ended before. */
  readonly needs: readonly number[];
  /** How those must have ended, or the step is skipped. Without needs every rule holds, save `any-failed`. */
  readonly rule: TriggerRule;
  /** False skips the step. */
  readonly when?: Expression;
  /** The step is done once for each item of this list. */
  readonly over?: FanOut;
  readonly body: StepBody;
  /** Also done when the run is cancelled or fails; it is never cancelled together with the others. */
  readonly cleanup?: true;
  /** Its failure does not make the run fail. */
  readonly mayFail?: true;
  readonly retry?: Retry;
  readonly timeouts?: StepTimeouts;
  /** How many steps with this key are under way at once. Where `over` has `atOnce`, items keep to that and not to this. */
  readonly limit?: { readonly key: string; readonly most: number };
  /** Higher goes first; 0 when left out. */
  readonly priority?: number;
  /** A label selector over hosts: `zone=a,disk!=hdd`. */
  readonly selector?: string;
  readonly effect?: "at-least-once" | "at-most-once";
  /** Two attempts must never overlap: an attempt stops itself before its agent's lease can have run out. */
  readonly exclusive?: true;
}

export type TriggerRule = "all-succeeded" | "any-succeeded" | "all-done" | "any-failed";

export interface FanOut {
  /** A list, or an expression that gives one. */
  readonly items: readonly unknown[] | Expression;
  /** How many are under way at once; all when left out. */
  readonly atOnce?: number;
}

export type StepBody =
  /** Done by an agent that has this executor. */
  | { readonly does: "execute"; readonly executor: string; readonly with: JsonObject }
  /** Another definition's run; this step ends as that run ends. */
  | { readonly does: "run"; readonly kind: string; readonly name: string; readonly inputs: JsonObject }
  | { readonly does: "approve"; readonly text: string; readonly expiresMs?: number }
  | { readonly does: "wait"; readonly ms: number }
  /** A resource, made by the control plane in the run's scope; this step ends as its kind says that it stands. */
  | { readonly does: "make"; readonly kind: string; readonly spec: JsonObject };

export interface Retry {
  /** Further attempts after the first. */
  readonly times: number;
  readonly delayMs: number;
  /** Each delay is this many times the one before; 1 when left out. */
  readonly factor?: number;
  readonly mostMs?: number;
}

export interface StepTimeouts {
  /** From ready until an agent has begun. Only of what agents do, as `heartbeatMs`. */
  readonly startMs?: number;
  /** One attempt, from begun until ended: what an agent does, a run, a resource. */
  readonly finishMs?: number;
  /** All attempts together with the waits between them. */
  readonly overallMs?: number;
  /** Without a sign of life (output, or a touched $REEVE_HEARTBEAT file) for this long, the attempt is ended. */
  readonly heartbeatMs?: number;
}
