import type { Keys } from "@reeve/keys";
import type { Caller, Json, JsonObject, Outcome, Registry, Role, Subject, Term } from "@reeve/model";
import type { RunHooks, Runs, Standing } from "@reeve/runs";
import type {
  Address,
  AuditEntry,
  Database,
  EventEntry,
  Lane,
  MigrationFolder,
  Place,
  RetentionRule,
  SealedColumn,
  Sql,
  Stored,
  View,
  Written,
} from "@reeve/store";
import type { Authority } from "./authority/authority.ts";
import type { Context } from "./context.ts";
import type { Enrolment } from "./doors/agents/enrolment.ts";
import type { Identity } from "./guard/identity.ts";
import type { AreaRoute } from "./route.ts";

/** What an area gives the control plane: kinds with their controllers, its tables, its routes. One line in apps/server adds it. */
export interface ControlArea {
  readonly name: string;
  readonly controllers: readonly Controller[];
  readonly migrations?: MigrationFolder;
  readonly retention?: readonly RetentionRule[];
  /** Where its tables hold values that `tools.keys` has sealed; what is not listed here is lost in a rotation. */
  readonly sealed?: readonly SealedColumn[];
  /** Where its tables hold what organizations may want sealed. */
  readonly atRest?: readonly Place[];
  readonly routes?: (context: Context) => readonly AreaRoute[];
  readonly overseer?: Overseer;
  /** What the run engine asks of areas; each hook has one answerer. */
  readonly runHooks?: (tools: Tools) => Partial<RunHooks>;
  /** Exactly one area knows who a caller is. */
  readonly identity?: (tools: Tools) => Identity;
  /** Exactly one area knows who may join. */
  readonly enrolment?: (tools: Tools) => Enrolment;
  /** Files of its own that agents may fetch: a Fault `not_found` for those that are not this agent's to have, undefined for others'. */
  readonly files?: (tools: Tools) => (agent: string, name: string) => Promise<Buffer> | undefined;
  /** After each look at a resource, as it is by then: what follows from it. Says in how many ms it wants another look. */
  readonly afterLook?: (tools: Tools) => AfterLook;
  /** What it does by itself, on every replica that works: begun after everything is there; what is returned ends it. */
  readonly start?: (tools: Tools) => () => Promise<void>;
}

/** The control plane's side of a kind. All parts are optional: a kind without a controller is recorded, shown and deleted. */
export interface Controller {
  readonly kind: string;
  /** Other resources this one speaks of; they are locked while it is admitted. */
  readonly refers?: (resource: { scope: string; spec: JsonObject }) => readonly Address[];
  /** The last word on a new or changed resource: throws a Fault, or returns what is to be recorded. Pure. */
  readonly admit?: (change: Admission) => Stored;
  /** Rows of the area's own that follow from the resource, in the transaction of its write. Those of what is gone are left to retention. */
  readonly also?: (resource: Stored) => AlsoRows;
  /** Whether this caller may let the resource go: throws a Fault if not. Pure. */
  readonly letGo?: (resource: Stored, caller: Caller) => void;
  /** What callers may do to what is their own, without a role. */
  readonly mine?: {
    readonly verbs: readonly string[];
    readonly terms: (subject: Subject) => readonly Term[];
  };
  /** What cannot do without the resource: while there is any, only force deletes it. */
  readonly usedBy?: (sql: Sql, resource: Stored) => Promise<readonly Use[]>;
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  /** Steps of runs may make resources of this kind, and end as this says. Pure. */
  readonly standing?: (resource: Stored) => Standing;
  readonly reconcile?: (look: LookAt) => Promise<Outcome>;
  /** Undoes what a finalizer of the kind stands for, before the resource goes. May be repeated after a crash. */
  readonly undo?: Readonly<Record<string, (look: LookAt) => Promise<Outcome>>>;
}

export type AfterLook = (resource: Stored) => Promise<number | undefined>;

export type AlsoRows = (sql: Sql) => Promise<void>;

/** An area's word on resources of every kind, for what any spec may hold, such as a reference to a secret. */
export interface Overseer {
  /** Resources that the spec speaks of; they are locked while it is admitted. */
  readonly refers: (resource: { kind: string; scope: string; spec: JsonObject }) => readonly Address[];
  /** Asked when a spec is new or changed: throws a Fault, or returns what is to be written along with it. Pure. */
  readonly admit: (change: Admission) => AlsoRows | undefined;
}

/** A resource that uses another, and the place in it that says so. */
export interface Use extends Address {
  readonly pointer: string;
}

export interface Admission {
  readonly before: Stored | undefined;
  readonly after: Stored;
  readonly caller: Caller;
  readonly view: View;
}

/** Carries an action out: `prepare` may take its time and read; what it returns is decided under the resource's lock. */
export type ActionHandler = (request: ActionRequest, tools: Tools) => Promise<ActionPlan>;

export interface ActionRequest {
  readonly resource: Stored;
  readonly caller: Caller;
  readonly input: unknown;
}

export interface ActionPlan {
  /** The resource after the action; absent when only other rows change. May throw a Fault. Pure. */
  readonly change?: (resource: Stored) => Stored;
  readonly also?: (sql: Sql) => Promise<void>;
  /** How many bytes more, or fewer, `also` keeps beside the resource: quotas count them. With `change` only. */
  readonly keeps?: number;
  readonly events?: readonly Omit<EventEntry, "uid">[];
  /** What the audit is told instead of the input, which it never sees of a secret action. */
  readonly detail?: AuditEntry["detail"];
  /** What the caller is answered; a repeat of the request hears the same. */
  readonly output: () => Json;
  /**
   * What happens elsewhere, and cannot be taken back: done when the rest of this plan is recorded, and then it is recorded how it
   * ended. Its answer counts.
   */
  readonly outside?: () => Promise<Pick<ActionPlan, "change" | "detail" | "output">>;
}

export interface LookAt {
  readonly resource: Stored;
  readonly tools: Tools;
  /**
   * Replaces the status, unless somebody else has changed the resource since it was read; then it says false. A look that
   * takes long reports now and then: false also means that another replica looks at it by now. `also` writes further rows
   * in the same transaction.
   */
  readonly report: (
    status: JsonObject,
    events?: readonly Omit<EventEntry, "uid">[],
    also?: AlsoRows,
  ) => Promise<boolean>;
  /** Applies a manifest, in the system's name, to what belongs to this resource, which goes with it; anybody else's is refused. */
  readonly applyOwned: (manifest: unknown, why: string) => Promise<Written>;
  /** Asks for the deletion of what belongs to this resource, in the system's name. */
  readonly removeOwned: (at: Address, why: string) => Promise<void>;
  /** Asks for the deletion of this resource, in the system's name, unless it was changed since it was read. */
  readonly remove: (why: string) => Promise<void>;
  /** The server is stopping: a look that takes long gives up. */
  readonly signal: AbortSignal;
}

/** What the core hands to areas. */
export interface Tools {
  readonly registry: Registry;
  readonly roles: Readonly<Record<string, Role>>;
  readonly database: Database;
  readonly lane: Lane;
  readonly keys: Keys;
  readonly runs: Runs;
  /** Signs the certificates of agents. */
  readonly authority: Authority;
  readonly log: Log;
  /** The address people use, without a path. */
  readonly publicUrl: () => string;
  /** Whether every terminal is recorded, whatever organizations say. */
  readonly recordTerminals: boolean;
  /** Forgets who these subjects were taken for, on every replica: for what no change tells, such as an ended session. */
  readonly forget: (subjectUids: readonly string[]) => void;
}

/** The part of a logger that we use. */
export interface Log {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
  debug(detail: object, message: string): void;
}
