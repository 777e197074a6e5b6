import type { Scope } from "@reeve/model";
import type { AuditLink, AuditRecord } from "@reeve/model/audit";
import { opened } from "./at-rest/at-rest.ts";
import { details } from "./at-rest/places.ts";
import type { Sql } from "./sql.ts";

/** Which records; each part narrows. */
export interface AuditFilter {
  /** Scopes whose records are meant, with everything below them. */
  readonly scopes: readonly Scope[];
  /** Kinds that open a scope: what is done to a Project belongs to the scope it opens, too. */
  readonly openers: readonly string[];
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly subject?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
}

const columns = `a.revision, a.at, a.organization, a.subject, a.via, a.address, a.request_id as "requestId", a.operation, a.outcome,
  a.kind, a.scope, a.name, a.uid, a.reason, a.detail`;

/** Revisions from one on and before another. */
export interface Stretch {
  readonly from: number;
  readonly before: number;
}

/** The newest records that fit in a stretch. */
export async function listAudit(
  sql: Sql,
  filter: AuditFilter,
  { from, before }: Stretch,
  limit: number,
): Promise<AuditRecord[]> {
  const values: unknown[] = [from, before, limit];
  const where = conditions(filter, values);
  const rows = await sql.query<AuditRecord>(
    `select ${columns} from audit a where a.revision >= $1 and a.revision < $2 and ${where} order by a.revision desc limit $3`,
    values,
  );
  return openDetails(sql, rows);
}

/** A record with its place in the chain, which comes a moment after the record. */
export type SealedRecord = AuditRecord & { [Key in keyof AuditLink]: AuditLink[Key] | null };

/** All records of a stretch that fit, oldest first. */
export async function auditWithin(
  sql: Sql,
  filter: AuditFilter,
  { from, before }: Stretch,
): Promise<SealedRecord[]> {
  const values: unknown[] = [from, before];
  const where = conditions(filter, values);
  const rows = await sql.query<SealedRecord>(
    `select ${columns}, encode(c.previous, 'hex') as previous, encode(c.hash, 'hex') as hash
     from audit a left join audit_chain c on c.organization = a.organization and c.revision = a.revision
     where a.revision >= $1 and a.revision < $2 and ${where} order by a.revision`,
    values,
  );
  return openDetails(sql, rows);
}

/**
 * Where the next record stands, from a revision on; undefined when there is none. Readers go from record to record and not
 * from revision to revision: a restore leaves a thousand million revisions without any.
 */
export function nextAudited(sql: Sql, revision: number): Promise<number | undefined> {
  return revisionWhere(sql, "revision >= $1 order by revision", revision);
}

/** Where the newest record before a revision stands. */
export function lastAudited(sql: Sql, before: number): Promise<number | undefined> {
  return revisionWhere(sql, "revision < $1 order by revision desc", before);
}

async function revisionWhere(sql: Sql, where: string, value: number): Promise<number | undefined> {
  const [row] = await sql.query<{ revision: number }>(`select revision from audit where ${where} limit 1`, [
    value,
  ]);
  return row?.revision;
}

/**
 * The stretch in which all records of a time lie, give or take a minute; found by halving, because the order of revisions is the
 * order of time and an index on the time would cost every write.
 */
export async function auditStretch(sql: Sql, { since, until }: AuditFilter): Promise<Stretch> {
  const [ends] = await sql.query<{ from: number | null; last: number | null }>(
    `select (select revision from audit order by revision limit 1) as "from",
       (select revision from audit order by revision desc limit 1) as last`,
  );
  if (typeof ends?.from !== "number" || typeof ends.last !== "number") return { from: 0, before: 0 };
  const slackMs = 60_000;
  const all = { from: ends.from, before: ends.last + 1 };
  return {
    from: since === undefined ? all.from : await firstAt(sql, all, Date.parse(since) - slackMs),
    before: until === undefined ? all.before : await firstAt(sql, all, Date.parse(until) + slackMs),
  };
}

/** The first revision of a stretch whose record is of this time or later, or its end. */
async function firstAt(sql: Sql, { from, before }: Stretch, time: number): Promise<number> {
  let [low, high] = [from, before];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await sql.query<{ revision: number; at: string }>(
      "select revision, at from audit where revision >= $1 order by revision limit 1",
      [middle],
    );
    if (row !== undefined && Date.parse(row.at) < time) low = row.revision + 1;
    else high = middle;
  }
  return low;
}

/**
 * The records after a revision, in commit order. None can appear between them later: the counter is held until the commit, so
 * whoever sees a revision sees all before it.
 */
export async function auditAfter(sql: Sql, revision: number, limit: number): Promise<AuditRecord[]> {
  const rows = await sql.query<AuditRecord>(
    `select ${columns} from audit a where a.revision > $1 order by a.revision limit $2`,
    [revision, limit],
  );
  return openDetails(sql, rows);
}

export interface LinkRow extends AuditLink {
  readonly revision: number;
  readonly record: AuditRecord | undefined;
}

/** The links of a chain with their records, oldest first. */
export async function linksAfter(
  sql: Sql,
  organization: string,
  revision: number,
  limit: number,
): Promise<LinkRow[]> {
  const rows = await sql.query<AuditRecord & AuditLink & { link: number }>(
    `select ${columns}, c.revision as link, encode(c.previous, 'hex') as previous, encode(c.hash, 'hex') as hash
     from audit_chain c left join audit a on a.revision = c.revision
     where c.organization = $1 and c.revision > $2 order by c.revision limit $3`,
    [organization, revision, limit],
  );
  return (await openDetails(sql, rows)).map(({ link, previous, hash, ...record }) => ({
    revision: link,
    previous,
    hash,
    record: record.revision === null ? undefined : record,
  }));
}

/** Records that stand in no chain although everything up to `sealed` has been sealed. */
export function strayRecords(
  sql: Sql,
  organization: string,
  sealed: number,
  limit: number,
): Promise<{ revision: number }[]> {
  return sql.query(
    `select a.revision from audit a where a.organization = $1 and a.revision <= $2
       and not exists (select 1 from audit_chain c where c.organization = a.organization and c.revision = a.revision)
     order by a.revision limit $3`,
    [organization, sealed, limit],
  );
}

/** One that does not open stays as it lies: a proof of its chain finds it. */
function openDetails<Row extends AuditRecord>(sql: Sql, rows: Row[]): Row[] | Promise<Row[]> {
  return opened(sql, details, rows, "detail", ({ revision }) => [revision], "leave");
}

function conditions(filter: AuditFilter, values: unknown[]): string {
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const terms = [
    `(${filter.scopes.map((scope) => inScope(scope, filter.openers, put)).join(" or ") || "false"})`,
  ];
  for (const column of ["subject", "kind", "name", "operation", "outcome"] as const)
    if (filter[column] !== undefined) terms.push(`a.${column} = ${put(filter[column], "text")}`);
  if (filter.since !== undefined) terms.push(`a.at >= ${put(filter.since, "timestamptz")}`);
  if (filter.until !== undefined) terms.push(`a.at < ${put(filter.until, "timestamptz")}`);
  return terms.join(" and ");
}

function inScope(
  scope: Scope,
  openers: readonly string[],
  put: (value: unknown, type: string) => string,
): string {
  if (scope === "") return "true";
  const [organization] = scope.split("/");
  const within = `a.organization = ${put(organization, "text")}`;
  if (scope === organization) return within;
  const here = put(scope, "text");
  const opener = `a.kind = any(${put(openers, "text[]")}) and a.scope || '/' || a.name = ${here}`;
  return `(${within} and (a.scope = ${here} or a.scope like ${here} || '/%' or (${opener})))`;
}
