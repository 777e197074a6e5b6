import type { JsonObject, RunAbout, RunCause, RunGraph, Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** A run to be made. The maker chooses the id (`newUid()`), so that it can answer before anything else is known. */
export interface RunDraft {
  readonly id: string;
  readonly scope: Scope;
  readonly about: RunAbout;
  readonly graph: RunGraph;
  readonly inputs: JsonObject;
  readonly cause: RunCause;
  readonly by: string;
  readonly priority?: number;
  readonly scheduledAt?: string;
  readonly parent?: { readonly run: string; readonly seq: number };
  /** An ended run of the same definition: what succeeded there, and is written as it was, is not done again. */
  readonly keeps?: string;
}

/** A recorded operation of a person on a run or on one of its steps. Faults say why it cannot be. */
export type RunOperation =
  | { readonly does: "cancel"; readonly why: string }
  | { readonly does: "pause" }
  | { readonly does: "resume" }
  /** All over again, or only what did not succeed and what follows from it. Only of a run that has ended. */
  | { readonly does: "retry"; readonly from: "start" | "failed" }
  /** A step that has not begun is left out; those after it see it as `skipped` and, with `as`, go on as if it had succeeded. */
  | { readonly does: "skip"; readonly seq: number; readonly as?: "succeeded" }
  | { readonly does: "approve" | "reject"; readonly seq: number; readonly note: string }
  /** What became of a lost at-most-once attempt: a person has looked. */
  | { readonly does: "decide"; readonly seq: number; readonly outcome: "succeeded" | "failed" | "again" };

export interface Held {
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
}

/** What an agent's link hears from the engine. Never awaited: a link that cannot send is closed by its door. */
export interface AgentEar {
  offer(offers: readonly OfferedStep[]): void;
  stop(stops: readonly (Held & { readonly graceMs: number; readonly why: string })[]): void;
  /** Another process took the session over, or the agent was revoked. */
  farewell(reason: "replaced" | "revoked"): void;
}

export interface OfferedStep extends Held {
  readonly executor: string;
  readonly with: JsonObject;
  readonly hasSecrets: boolean;
  readonly atMostOnce: boolean;
  readonly exclusive: boolean;
  readonly attempt: number;
  readonly scope: Scope;
  readonly workflow: string;
  readonly step: string;
  readonly finishMs?: number;
  readonly heartbeatMs?: number;
}

export interface AcceptVerdict extends Held {
  readonly ruling: "ok" | "fenced";
  readonly with?: JsonObject;
  readonly hide?: readonly string[];
  readonly why?: string;
}

export interface FinishedStep extends Held {
  readonly outcome: "succeeded" | "failed" | "cancelled" | "lost";
  readonly exitCode?: number;
  readonly why: string;
  readonly outputs?: JsonObject;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly final: boolean;
}

export interface AgentHello {
  readonly uid: string;
  /** What it showed, hashed: another machine may have joined in its place since that was looked up. */
  readonly identity: Buffer;
  readonly session: string;
  readonly slots: number;
  readonly executors: readonly string[];
  readonly facts: JsonObject;
  readonly inventory: readonly Held[];
  /** Higher than that of the agent's hellos before; 0 from an agent that does not count. */
  readonly number: number;
}

export interface AgentWelcome {
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly fenced: Held[];
  readonly known: Held[];
}

/** The agent has said a newer hello, with this number: this one was held up on its way, and nothing was done. */
export interface OvertakenHello {
  readonly newest: number;
}

/** What the agents' door calls. Calls of many links are gathered into one transaction a batch. */
export interface AgentSide {
  /** Takes the session over, settles what the agent no longer has, and says what of its inventory is not its own. */
  hello(hello: AgentHello, ear: AgentEar): Promise<AgentWelcome | OvertakenHello>;
  /** Renews the lease; false when the session is no longer this one: say farewell. */
  beat(uid: string, session: string, freeSlots: number, status: JsonObject): Promise<boolean>;
  accept(uid: string, session: string, steps: readonly Held[], freeSlots: number): Promise<AcceptVerdict[]>;
  finish(
    uid: string,
    session: string,
    steps: readonly FinishedStep[],
    freeSlots: number,
  ): Promise<(Held & { readonly ruling: "ok" | "fenced" })[]>;
  /** Its process ends in order: what it was only offered goes to others at once; what it runs waits for the next process. */
  leave(uid: string, session: string): Promise<void>;
  /** The link is gone; the lease runs on. By its ear: the same session may have come back over another link already. */
  gone(uid: string, ear: AgentEar): void;
}

/** What the engine asks of others. */
export interface RunHooks {
  /** The value with its `${{ secrets.… }}` replaced, and the texts to hide. */
  readonly secrets: (scope: Scope, value: JsonObject) => Promise<{ value: JsonObject; hide: string[] }>;
  /** The draft of another definition's run, for a step that begins one. A Fault fails the step. */
  readonly draft: (
    scope: Scope,
    named: { kind: string; name: string; inputs: JsonObject },
  ) => Promise<Omit<RunDraft, "id" | "cause" | "by" | "parent">>;
  /**
   * Makes a resource for a step, unless it was made before, and says how it stands. Asked again until it does not wait any more.
   * Outside of transactions: it is written by the lane, which may wait for the very run that the engine would hold. A Fault fails the step.
   */
  readonly make: (wanted: WantedResource) => Promise<Standing>;
  /** Runs with `graph.ending` are being admitted: rows to be written in the same transaction, such as a time by which they must have ended. */
  readonly admitted: (sql: Sql, drafts: readonly RunDraft[]) => Promise<void>;
  /** Runs with `graph.ending` have ended: rows to be written in the same transaction, such as notifications. */
  readonly ended: (sql: Sql, runs: readonly EndedRun[]) => Promise<void>;
}

export interface WantedResource {
  readonly run: string;
  readonly scope: Scope;
  readonly kind: string;
  /** The same whenever it is asked for. */
  readonly name: string;
  readonly spec: JsonObject;
  /** It was there before: if it is gone, somebody has deleted it. */
  readonly made: boolean;
}

/** How a resource stands, for a step that waits for it. */
export interface Standing {
  readonly state: "waiting" | "succeeded" | "failed";
  readonly why: string;
  readonly outputs?: JsonObject;
}

export interface EndedRun {
  readonly id: string;
  readonly scope: Scope;
  readonly about: RunAbout;
  readonly state: "succeeded" | "failed" | "cancelled" | "skipped";
  readonly why: string;
  readonly ending: JsonObject;
}

export type RunFigures = Readonly<
  Record<"claimed" | "attended" | "settled" | "accepted" | "finished" | "lostAgents" | "links", number>
>;

export interface Runs {
  /** Writes runs in the caller's transaction (mostly an `also` of the lane, which wakes by itself; otherwise call `wake` after the commit). */
  admit(sql: Sql, drafts: readonly RunDraft[]): Promise<void>;
  /** Carries an operation out in the caller's transaction; throws a Fault when it cannot be. Wakes as `admit`. */
  operate(sql: Sql, run: string, operation: RunOperation, by: string): Promise<void>;
  /** There may be something to decide, claim or stop: here, and on the other replicas. Only a hint. */
  wake(): void;
  /** Told by the lane after each commit: wakes if runs were admitted or operated on in it, and says so. */
  committed(): boolean;
  /** A peer has something for us. */
  heard(): void;
  readonly agents: AgentSide;
  /** For `debug runs` and metrics: what this replica did since it started. */
  readonly figures: RunFigures;
  stop(): Promise<void>;
}
