import { type Amounts, type Registry, type Scope, selfAndAncestors, sumOf } from "@reeve/model";
import type { Sql } from "./sql.ts";

/** A quota with what is used of it. */
export interface QuotaUse {
  readonly uid: string;
  readonly scope: Scope;
  readonly name: string;
  readonly limits: Amounts;
  readonly used: Amounts;
  /** Whether the quota's status tells this already. */
  readonly told: boolean;
  /** Counted just now, and not read from where it is kept. */
  readonly counted: boolean;
}

/**
 * The quotas that hold for these scopes: their own and those of the scopes above. Exact under the counter. One that has no
 * count yet is counted from the resources, once.
 */
export async function readQuotas(sql: Sql, registry: Registry, scopes: Iterable<Scope>): Promise<QuotaUse[]> {
  const all = new Set([...scopes].flatMap(selfAndAncestors));
  const rows = await sql.query<{
    uid: string;
    scope: Scope;
    name: string;
    limits: Amounts;
    used: Amounts | null;
    told: boolean | null;
  }>(
    `select r.uid, r.scope, r.name, r.spec -> 'limits' as limits, u.used, u.told
     from resource r left join quota_use u on u.quota = r.uid
     where r.kind = $1 and r.scope = any($2::text[]) order by r.scope, r.name`,
    [registry.limiting?.name ?? "", [...all]],
  );
  const quotas: QuotaUse[] = [];
  for (const { used, told, ...row } of rows)
    quotas.push({
      ...row,
      used: used ?? (await countUse(sql, registry, row.scope)),
      told: told ?? false,
      counted: used === null,
    });
  return quotas;
}

/** What is used in a scope and below it, counted from the resources themselves. Quotas do not count. */
export async function countUse(sql: Sql, registry: Registry, scope: Scope): Promise<Amounts> {
  const rows = await sql.query<CountRow>(countSql("$1", "$2", "$3"), [scope, ...kindsOf(registry)]);
  return amountsOf(registry, rows);
}

/** What is kept and what is true, of the same moment; undefined when nothing is kept. */
export async function auditUse(
  sql: Sql,
  registry: Registry,
  quota: { readonly uid: string; readonly scope: Scope },
): Promise<{ kept: Amounts; counted: Amounts } | undefined> {
  const rows = await sql.query<CountRow & { used: Amounts }>(
    `select u.used, c.kind, c.count, c.bytes from quota_use u left join (${countSql("$2", "$3", "$4")}) c on true
     where u.quota = $1::uuid`,
    [quota.uid, quota.scope, ...kindsOf(registry)],
  );
  return rows[0] && { kept: rows[0].used, counted: amountsOf(registry, rows) };
}

/** What is used, to be told in the status; undefined when it has not been needed and so not been counted yet. */
export async function tellUse(
  sql: Sql,
  uid: string,
): Promise<{ used: Amounts; countedAt: string } | undefined> {
  const rows = await sql.query<{ used: Amounts; countedAt: string }>(
    `update quota_use set told = true where quota = $1::uuid returning used, counted_at as "countedAt"`,
    [uid],
  );
  return rows[0];
}

/** Notes that the count is right; or forgets one that is not, so that it is counted anew when it is next needed. */
export async function endAudit(sql: Sql, uid: string, right: boolean): Promise<void> {
  await sql.query(
    right
      ? "update quota_use set counted_at = now() where quota = $1::uuid"
      : "delete from quota_use where quota = $1::uuid",
    [uid],
  );
}

interface CountRow {
  readonly kind: string | null;
  readonly count: number;
  readonly bytes: number;
}

/** The scopes are walked by the resources that open them, so that every step is an index's. */
function countSql(scope: string, opening: string, counted: string): string {
  return `with recursive inside (path) as (
      select ${scope}::text
      union all
      select case when r.scope = '' then r.name else r.scope || '/' || r.name end
      from inside i join resource r on r.kind = any(${opening}::text[]) and r.scope = i.path)
    select r.kind, count(*) as count, sum(r.bytes)::bigint as bytes
    from inside i join resource r on r.kind = any(${counted}::text[]) and r.scope = i.path group by r.kind`;
}

function kindsOf({ kinds }: Registry): [opening: string[], counted: string[]] {
  return [
    kinds.filter((kind) => kind.opensScope).map((kind) => kind.name),
    kinds.filter((kind) => !kind.limitsScope).map((kind) => kind.name),
  ];
}

function amountsOf(registry: Registry, rows: readonly CountRow[]): Amounts {
  let amounts: Amounts = { resources: 0, storageBytes: 0 };
  for (const { kind, count, bytes } of rows)
    if (kind !== null)
      amounts = sumOf(amounts, {
        [registry.byName(kind).plural]: count,
        resources: count,
        storageBytes: bytes,
      });
  return amounts;
}
