import type { Json } from "@reeve/model";
import { opened } from "./at-rest/at-rest.ts";
import { answers, changed } from "./at-rest/places.ts";
import type { BatchRows } from "./lane-batch.ts";
import { insertable } from "./lane-batch.ts";
import type { LabelRow } from "./lane-labels.ts";
import type { Address, Mutation } from "./mutation.ts";
import type { QuotaUse } from "./quotas.ts";
import { fromRow, openSpecs, type ResourceRow, resourceColumns, type Stored } from "./resource-row.ts";
import type { Sql } from "./sql.ts";

const lockedColumns = resourceColumns.replaceAll(/\w+/g, "r.$&");

/** Locks rows by uid, always in that order, so that two replicas' batches cannot wait for each other. */
export async function lockRows(sql: Sql, addresses: readonly Address[]): Promise<Stored[]> {
  if (addresses.length === 0) return [];
  const rows = await sql.query<ResourceRow>(
    `select ${lockedColumns} from unnest($1::text[], $2::text[], $3::text[]) as k (kind, scope, name)
     join resource r on r.kind = k.kind and r.scope = k.scope and r.name = k.name
     order by r.uid for update of r`,
    [addresses.map((one) => one.kind), addresses.map((one) => one.scope), addresses.map((one) => one.name)],
  );
  const plain = openSpecs(sql, rows);
  return (Array.isArray(plain) ? plain : await plain).map(fromRow);
}

/** Of these rows, the uids of those that own something. A child is made under its owner's lock, so this cannot change now. */
export async function ownersAmong(sql: Sql, locked: readonly Stored[]): Promise<Set<string>> {
  const rows = await sql.query<{ owner_uid: string }>(
    "select distinct owner_uid from resource where owner_uid = any($1::uuid[])",
    [locked.map((one) => one.metadata.uid)],
  );
  return new Set(rows.map((row) => row.owner_uid));
}

/** Takes the counter; from here to the commit no other replica can. */
export async function lockCounter(sql: Sql): Promise<{ base: number; quotas: number; now: string }> {
  const rows = await sql.query<{ value: number; quotas: number; now: string }>(
    "select value, quotas, now() as now from revision where id = $1 for update",
    [1],
  );
  const row = rows[0];
  if (row === undefined)
    throw new Error("the revision counter is missing: this database is damaged or not Reeve's");
  return { base: row.value, quotas: row.quotas, now: row.now };
}

export interface KeptAnswer {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcome: "created" | "updated" | "unchanged" | "deleted";
  /** The resource as it was answered then; null when there was none. */
  readonly object: string | null;
  /** What was answered beside the resource. */
  readonly answer: Json | null;
}

/** The answers kept for these keys. */
export async function keptAnswers(sql: Sql, mutations: readonly Mutation[]): Promise<KeptAnswer[]> {
  const keys = mutations.flatMap((mutation) => mutation.idempotency ?? []);
  if (keys.length === 0) return [];
  const rows = await sql.query<KeptAnswer & { revision: number }>(
    `select i.caller, i.key, i.fingerprint, i.outcome, i.answer, c.object, c.revision
     from unnest($1::text[], $2::text[]) as k (caller, key)
     join idempotency i on i.caller = k.caller and i.key = k.key
     left join change c on c.revision = i.revision`,
    [keys.map((one) => one.caller), keys.map((one) => one.key)],
  );
  if (rows.length === 0) return rows;
  const told = await opened(sql, changed, rows, "object", ({ revision }) => [revision]);
  return opened(sql, answers, told, "answer", ({ caller, key }) => [caller, key]);
}

export interface KeptKey {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcome: string;
  readonly revision: number | null;
  readonly answer: Json | null;
}

export interface LookDue {
  readonly uid: string;
  readonly kind: string;
  readonly bucket: number;
  /** In how many milliseconds it is due. */
  readonly wait: number;
}

export interface QuotaRows {
  readonly changed: readonly QuotaUse[];
  readonly deleted: readonly string[];
  /** How many more quotas there are after this batch. */
  readonly added: number;
}

const resourceShape =
  "uid uuid, kind text, scope text, name text, generation bigint, revision bigint, labels jsonb, annotations jsonb, " +
  "finalizers jsonb, owner jsonb, owner_uid uuid, paused boolean, created_at timestamptz, updated_at timestamptz, " +
  "deleting_at timestamptz, deleting_force boolean, bytes bigint, spec jsonb, status jsonb";
const resourceNames = resourceShape.replaceAll(/ \w+(?=,|$)/g, "");
const settable = resourceNames
  .split(", ")
  .filter((name) => !["uid", "kind", "scope", "name", "created_at"].includes(name));

/**
 * Writes everything a batch decided in one statement: each part touches its own table, no row is touched twice.
 * Only the parts that have rows are in the text, so an ordinary apply is four inserts and the counter.
 */
export function batchStatement(
  base: number,
  rows: BatchRows,
  labels: { readonly added: readonly LabelRow[]; readonly removed: readonly LabelRow[] },
  keys: readonly KeptKey[],
  looks: readonly LookDue[],
  quotas: QuotaRows,
): { text: string; values: unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [base + rows.revisions];
  const part = (list: readonly unknown[], shape: string, text: (from: string) => string) => {
    if (list.length === 0) return;
    values.push(JSON.stringify(list));
    parts.push(
      `p${parts.length} as (${text(`json_to_recordset($${values.length}::json) as x(${shape})`)} returning 1)`,
    );
  };
  part(
    insertable(rows.created.values()),
    resourceShape,
    (from) => `insert into resource (${resourceNames}) select ${resourceNames} from ${from}`,
  );
  part(insertable(rows.updated.values()), resourceShape, (from) => {
    const sets = settable.map((name) => `${name} = x.${name}`).join(", ");
    return `update resource r set ${sets} from ${from} where r.uid = x.uid`;
  });
  part(
    [...rows.deleted.keys()].map((uid) => ({ uid })),
    "uid uuid",
    (from) => `delete from resource where uid in (select uid from ${from})`,
  );
  part(
    [...rows.deleted.keys()].map((uid) => ({ uid })),
    "uid uuid",
    (from) => `delete from look where uid in (select uid from ${from})`,
  );
  part(
    labels.removed,
    "kind text, key text, value text, scope text, name text",
    (from) =>
      `delete from resource_label l using ${from} where l.kind = x.kind and l.key = x.key and l.value = x.value and l.scope = x.scope and l.name = x.name`,
  );
  part(
    labels.added,
    "kind text, key text, value text, scope text, name text, uid uuid",
    (from) =>
      `insert into resource_label (kind, key, value, scope, name, uid) select kind, key, value, scope, name, uid from ${from}`,
  );
  part(
    rows.generations,
    "uid uuid, generation bigint, revision bigint, at timestamptz, author text, reason text, spec jsonb",
    (from) =>
      `insert into generation (uid, generation, revision, at, author, reason, spec) select uid, generation, revision, at, author, reason, spec from ${from}`,
  );
  part(
    rows.changes,
    "revision bigint, at timestamptz, operation text, uid uuid, kind text, scope text, name text, was jsonb, object text",
    (from) =>
      `insert into change (revision, at, operation, uid, kind, scope, name, was, object) select revision, at, operation, uid, kind, scope, name, was, object from ${from}`,
  );
  part(
    rows.audits,
    "revision bigint, at timestamptz, organization text, subject text, via text, address text, request_id text, operation text, outcome text, kind text, scope text, name text, uid uuid, reason text, detail jsonb",
    (from) =>
      `insert into audit (revision, at, organization, subject, via, address, request_id, operation, outcome, kind, scope, name, uid, reason, detail)
       select revision, at, organization, subject, via, address, request_id, operation, outcome, kind, scope, name, uid, reason, detail from ${from}`,
  );
  part(
    keys,
    "caller text, key text, fingerprint text, outcome text, revision bigint, answer jsonb",
    (from) =>
      `insert into idempotency (caller, key, fingerprint, outcome, revision, answer) select caller, key, fingerprint, outcome, revision, answer from ${from}`,
  );
  part(
    looks,
    "uid uuid, kind text, bucket int, wait int",
    (from) =>
      `insert into look (uid, kind, bucket, due_at) select uid, kind, bucket, clock_timestamp() + wait * interval '1 millisecond' from ${from}
     on conflict (uid) do update set due_at = excluded.due_at`,
  );
  part(
    [...rows.events.values()],
    "uid uuid, tone text, reason text, message text",
    (from) =>
      `insert into event (uid, digest, at, first_at, count, tone, reason, message)
     select uid, md5(reason || ' ' || message), now(), now(), 1, tone, reason, message from ${from}
     on conflict (uid, digest) do update set at = excluded.at, count = event.count + 1`,
  );
  // One that was forgotten meanwhile, because it was found wrong, must not come back: only what was counted now is new.
  part(
    quotas.changed.filter((one) => one.counted),
    "uid uuid, used jsonb",
    (from) =>
      `insert into quota_use (quota, used, told) select uid, used, false from ${from} on conflict (quota) do nothing`,
  );
  part(
    quotas.changed.filter((one) => !one.counted),
    "uid uuid, used jsonb",
    (from) => `update quota_use u set used = x.used, told = false from ${from} where u.quota = x.uid`,
  );
  part(
    quotas.deleted.map((uid) => ({ uid })),
    "uid uuid",
    (from) => `delete from quota_use where quota in (select uid from ${from})`,
  );
  part(
    quotas.deleted.map((uid) => ({ uid })),
    "uid uuid",
    (from) => `delete from run_room where quota in (select uid from ${from})`,
  );
  let counter = "value = $1::bigint";
  if (quotas.added !== 0) {
    values.push(quotas.added);
    counter += `, quotas = quotas + $${values.length}::bigint`;
  }
  const last = `last as (update revision set ${counter} where id = 1 returning 1)`;
  const text = `with ${[...parts, last].join(",\n")} select 1`;
  return { text, values };
}

/** What waited for these to go may look again: their owners, and the scopes they lived in. */
export async function wakeHolders(sql: Sql, gone: readonly Stored[]): Promise<void> {
  const owners = gone.flatMap((one) => one.metadata.owner?.uid ?? []);
  const scopes = [...new Set(gone.map((one) => one.metadata.scope))];
  await sql.query(
    `update look set due_at = clock_timestamp() where uid in (
       select uid from resource where deleting_at is not null and (uid = any($1::uuid[])
         or (finalizers @> '["reeve/contents"]' and (case when scope = '' then name else scope || '/' || name end) = any($2::text[]))))`,
    [owners, scopes],
  );
}
