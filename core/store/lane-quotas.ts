import {
  type Amounts,
  allows,
  type Caller,
  contains,
  Fault,
  firstBroken,
  permissionOf,
  type Registry,
  type Scope,
  sameJson,
  showScope,
  sumOf,
} from "@reeve/model";
import type { BatchRows } from "./lane-batch.ts";
import type { QuotaRows } from "./lane-sql.ts";
import type { Address, Decision, Mutation, Write } from "./mutation.ts";
import type { QuotaUse } from "./quotas.ts";
import type { Stored } from "./resource-row.ts";

/** The quotas of a batch, kept up to date with what its mutations write. */
export interface Ledger {
  /** The decision if it keeps to every quota, and its use is booked; else a refusal in its place. */
  book(mutation: Mutation, decision: Decision, get: (at: Address) => Stored | undefined): Decision;
  /** The quotas of which more or less is used now, and those that were counted for this batch. */
  changed(): QuotaUse[];
}

export function openLedger(registry: Registry, quotas: readonly QuotaUse[]): Ledger {
  const used = new Map(quotas.map((quota) => [quota, quota.used]));
  return {
    book(mutation, decision, get) {
      if (quotas.length === 0 || decision.writes.length === 0) return decision;
      const costs = decision.writes.map((write) => costOf(registry, write, get(addressOf(write))));
      const booked = quotas.map((quota) => {
        const added = costs
          .filter(({ scope }) => contains(quota.scope, scope))
          .reduce((sum, { amounts }) => sumOf(sum, amounts), {} as Amounts);
        return { quota, before: used.get(quota) as Amounts, added };
      });
      for (const { quota, before, added } of booked) {
        const broken = firstBroken(quota.limits, before, added);
        if (broken !== undefined)
          return refusedBy(exceeded(registry, mutation.author.caller, quota, broken, before), decision);
      }
      for (const { quota, before, added } of booked)
        if (Object.values(added).some((amount) => amount !== 0)) used.set(quota, sumOf(before, added));
      return decision;
    },
    changed: () =>
      quotas
        .filter((quota) => quota.counted || used.get(quota) !== quota.used)
        .map((quota) => ({ ...quota, used: used.get(quota) as Amounts })),
  };
}

export function quotaRows(registry: Registry, ledger: Ledger, rows: BatchRows): QuotaRows {
  const name = registry.limiting?.name;
  const among = (written: ReadonlyMap<string, Stored>): string[] =>
    [...written].flatMap(([uid, { kind }]) => (kind === name ? uid : []));
  const deleted = among(rows.deleted);
  return {
    changed: ledger.changed().filter(({ uid }) => !deleted.includes(uid)),
    deleted,
    added: among(rows.created).length - deleted.length,
  };
}

/** How much a resource will count for: its spec, labels and annotations as JSON in UTF-8, and what is kept beside it. */
export function bytesAfter({ resource, keeps = 0 }: Write, before: Stored | undefined): number {
  if (before === undefined) return partsOf(resource).reduce<number>((sum, part) => sum + sizeOf(part), keeps);
  const was = partsOf(before);
  return partsOf(resource).reduce<number>(
    (sum, part, index) => sum + (sameJson(part, was[index]) ? 0 : sizeOf(part) - sizeOf(was[index])),
    before.bytes + keeps,
  );
}

function partsOf({ spec, metadata }: Stored): unknown[] {
  return [spec, metadata.labels, metadata.annotations];
}

function sizeOf(part: unknown): number {
  return Buffer.byteLength(JSON.stringify(part));
}

interface Cost {
  readonly scope: Scope;
  readonly amounts: Amounts;
}

/** What a write adds to what is used; less than nothing for a deletion. */
function costOf(registry: Registry, write: Write, before: Stored | undefined): Cost {
  const { scope } = write.resource.metadata;
  const kind = registry.byName(write.resource.kind);
  if (kind.limitsScope) return { scope, amounts: {} };
  const count = write.operation === "create" ? 1 : write.operation === "delete" ? -1 : 0;
  const after = write.operation === "delete" ? 0 : bytesAfter(write, before);
  const storageBytes = after - (before?.bytes ?? 0);
  return { scope, amounts: { [kind.plural]: count, resources: count, storageBytes } };
}

function addressOf({ resource }: Write): Address {
  return { kind: resource.kind, scope: resource.metadata.scope, name: resource.metadata.name };
}

/** Nothing is written but that it was refused. */
function refusedBy(refusal: Fault, { audit }: Decision): Decision {
  return {
    writes: [],
    audit: audit.map((entry) => ({ ...entry, outcome: "denied", detail: { why: refusal.message } })),
    refusal,
  };
}

/** Whoever may not read the quota hears that there is one, and not how much others use. */
function exceeded(
  registry: Registry,
  caller: Caller | undefined,
  { scope, name, limits }: QuotaUse,
  what: string,
  used: Amounts,
): Fault {
  const kind = registry.limiting;
  const known =
    caller?.subject.kind === "System" ||
    (kind && caller && allows(caller.grants, permissionOf(kind, "read"), scope));
  const figures = known ? `: ${used[what] ?? 0} of ${limits[what]} ${what} are used` : ` for ${what}`;
  return new Fault(
    "forbidden",
    `the quota ${known ? `${name} ` : ""}of ${showScope(scope)} does not allow this${figures}`,
    {
      next: "delete what is no longer needed, or ask an owner of the scope above for a higher limit",
    },
  );
}
