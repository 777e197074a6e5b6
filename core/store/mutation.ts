import type { Caller, Change, Fault, Json, Origin, Resource, Scope, Uid } from "@reeve/model";
import type { Stored } from "./resource-row.ts";
import type { Sql } from "./sql.ts";

export interface Address {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
}

/** The rows that a mutation asked to see, locked; each mutation of a batch sees what those before it wrote. */
export interface View {
  get(address: Address): Stored | undefined;
  /** Whether resources belong to this one. Known only for mutations that ask with `asksOwned`. */
  ownsAny(uid: Uid): boolean;
  /** The transaction's time. */
  readonly now: string;
}

/** A resource to be written. Revision, generation and times are the lane's to set. */
export interface Write {
  readonly operation: "create" | "update" | "delete";
  readonly resource: Stored;
  /** How many bytes more, or fewer, its area keeps beside it from now on: quotas count them as well. */
  readonly keeps?: number;
}

export interface AuditEntry extends Address {
  readonly operation: string;
  readonly outcome: "done" | "denied";
  readonly uid?: Uid;
  readonly reason?: string;
  readonly detail?: { readonly changes?: readonly Change[]; readonly [fact: string]: unknown };
}

export interface EventEntry {
  readonly uid: Uid;
  readonly tone: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
}

/** What a mutation decided after it saw the locked rows. A thrown Fault is its verdict and touches nothing else. */
export interface Decision {
  readonly writes: readonly Write[];
  readonly audit: readonly AuditEntry[];
  readonly events?: readonly EventEntry[];
  /** What only a query can tell: throws a Fault when this must not be. A dry run asks it too. */
  readonly check?: (sql: Sql) => Promise<void>;
  /** Further rows of an area, in the same transaction. */
  readonly also?: (sql: Sql) => Promise<void>;
  /** What is answered beside the resource; kept with the idempotency key, so that a repeat hears the same. */
  readonly answer?: Json;
  /** What to answer with when nothing was written (`unchanged`). */
  readonly seen?: Stored;
  /** The caller is refused, after the audit rows were written. */
  readonly refusal?: Fault;
}

export interface Author {
  readonly caller: Caller | undefined;
  readonly origin: Origin;
  readonly reason: string;
}

export interface Mutation {
  readonly author: Author;
  /** Rows to lock, by address: what is written, the scope it is created in, its owner. */
  readonly needs: readonly Address[];
  /** Asks the view to know what the needed rows own: to tell whether something can go at once. */
  readonly asksOwned?: boolean;
  /** A reconciler's own write: it has just looked, so this does not make the resource due again. */
  readonly quiet?: boolean;
  readonly idempotency?: { readonly caller: string; readonly key: string; readonly fingerprint: string };
  readonly decide: (view: View) => Decision;
}

export interface Written {
  readonly outcome: "created" | "updated" | "unchanged" | "deleted";
  /** The first resource that was written, or the one that was seen. */
  readonly resource: Resource | undefined;
  /** A repeat of a request carried out before: the answer is the first one's. */
  readonly repeated: boolean;
  /** Of a repeat: what was answered beside the resource. */
  readonly answer?: Json;
}
