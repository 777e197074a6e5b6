import { apiVersion, fieldValues, type Registry, type Resource, showSubject, type Uid } from "@reeve/model";
import type { ChangeRow } from "./changes.ts";
import { bytesAfter, type Ledger } from "./lane-quotas.ts";
import type {
  Address,
  AuditEntry,
  Decision,
  EventEntry,
  Mutation,
  View,
  Write,
  Written,
} from "./mutation.ts";
import { type Stored, shown, toRow } from "./resource-row.ts";

/** The rows one batch writes, gathered over its mutations. */
export interface BatchRows {
  readonly created: Map<Uid, Stored>;
  readonly updated: Map<Uid, Stored>;
  readonly deleted: Map<Uid, Stored>;
  readonly generations: Record<string, unknown>[];
  readonly changes: (ChangeRow & { readonly at: string })[];
  readonly audits: Record<string, unknown>[];
  readonly events: Map<string, EventEntry>;
  /** Resources that a reconciler wrote itself. */
  readonly quiet: Set<Uid>;
  revisions: number;
}

/** The decisions of one batch, in order, on top of the locked rows; `base` is the counter, locked. */
export interface BatchStart {
  readonly locked: readonly Stored[];
  /** Of the locked rows, those that own something. */
  readonly owners: ReadonlySet<string>;
  readonly ledger: Ledger;
  readonly base: number;
  readonly now: string;
}

export interface Batch {
  readonly rows: BatchRows;
  readonly view: View;
  /** Runs one mutation; a Fault it throws is its own and leaves the batch as it was. */
  take(mutation: Mutation): { decision: Decision; written: Written };
}

export function beginBatch(registry: Registry, from: BatchStart): Batch {
  const { locked, owners, ledger, base, now } = from;
  const current = new Map(locked.map((stored) => [key({ kind: stored.kind, ...stored.metadata }), stored]));
  const rows: BatchRows = {
    created: new Map(),
    updated: new Map(),
    deleted: new Map(),
    generations: [],
    changes: [],
    audits: [],
    events: new Map(),
    quiet: new Set(),
    revisions: 0,
  };
  const view: View = {
    now,
    get: (address) => current.get(key(address)),
    ownsAny: (uid) =>
      owners.has(uid) ||
      [...rows.created.values(), ...rows.updated.values()].some((one) => one.metadata.owner?.uid === uid),
  };

  function write(mutation: Mutation, one: Write): Stored {
    const { operation, resource } = one;
    const address = { kind: resource.kind, scope: resource.metadata.scope, name: resource.metadata.name };
    const before = current.get(key(address));
    if ((operation === "create") !== (before === undefined))
      throw new Error(
        `the lane was asked to ${operation} ${key(address)}, which does ${before ? "" : "not "}exist`,
      );
    const kind = registry.byName(resource.kind);
    const revision = base + ++rows.revisions;
    const specChanged = before === undefined || before.metadata.generation !== resource.metadata.generation;
    const stored: Stored = {
      ...resource,
      apiVersion,
      bytes: bytesAfter(one, before),
      metadata: { ...resource.metadata, revision, updatedAt: now, ...(before ? {} : { createdAt: now }) },
    };
    const { uid } = stored.metadata;
    if (mutation.quiet) rows.quiet.add(uid);
    else rows.quiet.delete(uid);
    if (operation === "delete") {
      current.delete(key(address));
      rows.updated.delete(uid);
      // Created and deleted within one batch: there is no row to delete, but both changes are told.
      if (!rows.created.delete(uid)) rows.deleted.set(uid, stored);
    } else {
      current.set(key(address), stored);
      if (before === undefined || rows.created.has(uid)) rows.created.set(uid, stored);
      else rows.updated.set(uid, stored);
      if (specChanged) rows.generations.push(generationRow(stored, mutation, now));
    }
    rows.changes.push({
      revision,
      at: now,
      operation: operation === "delete" ? "deleted" : before === undefined ? "created" : "updated",
      uid,
      ...address,
      // Null and not undefined: the same rows go to our own watchers without passing the database.
      was: before ? { labels: before.metadata.labels, fields: fieldValues(before, kind.fields ?? []) } : null,
      object: JSON.stringify(shown(stored)),
    });
    return stored;
  }

  return {
    rows,
    view,
    take(mutation) {
      const decision = ledger.book(mutation, mutation.decide(view), view.get);
      const written = decision.writes.map((one) => write(mutation, one));
      decision.audit.forEach((entry, index) => {
        const revision = written[index]?.metadata.revision ?? base + ++rows.revisions;
        rows.audits.push(auditRow(entry, mutation, revision, now, written[index]));
      });
      for (const event of decision.events ?? [])
        rows.events.set(`${event.uid} ${event.reason} ${event.message}`, event);
      const first = written[0];
      return {
        decision,
        written: {
          outcome: first === undefined ? "unchanged" : outcomeOf(decision.writes[0] as Write),
          resource: first !== undefined ? shown(first) : decision.seen && (shown(decision.seen) as Resource),
          repeated: false,
        },
      };
    },
  };
}

const outcomeOf = (write: Write): Written["outcome"] =>
  write.operation === "create" ? "created" : write.operation === "delete" ? "deleted" : "updated";

export function key(address: Address): string {
  return `${address.kind} ${address.scope} ${address.name}`;
}

export function insertable(stored: Iterable<Stored>): Record<string, unknown>[] {
  return [...stored].map(toRow);
}

function generationRow(stored: Stored, { author }: Mutation, at: string): Record<string, unknown> {
  return {
    uid: stored.metadata.uid,
    generation: stored.metadata.generation,
    revision: stored.metadata.revision,
    at,
    author: author.caller === undefined ? "anonymous" : showSubject(author.caller.subject),
    reason: author.reason,
    spec: stored.spec,
  };
}

function auditRow(
  entry: AuditEntry,
  { author }: Mutation,
  revision: number,
  at: string,
  written?: Stored,
): Record<string, unknown> {
  const { caller, origin } = author;
  return {
    revision,
    at,
    organization: organizationOf(entry),
    subject: caller === undefined ? "anonymous" : showSubject(caller.subject),
    via: caller === undefined ? "none" : `${caller.via.kind}:${caller.via.id}`,
    address: origin.address,
    request_id: origin.requestId,
    operation: entry.operation,
    outcome: entry.outcome,
    kind: entry.kind,
    scope: entry.scope,
    name: entry.name,
    uid: written?.metadata.uid ?? entry.uid ?? null,
    reason: entry.reason ?? author.reason,
    detail: entry.detail ?? {},
  };
}

function organizationOf(entry: AuditEntry): string {
  if (entry.kind === "Organization") return entry.name;
  return entry.scope.split("/")[0] as string;
}
