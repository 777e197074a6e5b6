import type { Scope, Term } from "@reeve/model";
import type { Address } from "./mutation.ts";
import { fromRow, type ResourceRow, resourceColumns, type Stored } from "./resource-row.ts";
import { fieldSql, labelSql, values } from "./selector-sql.ts";
import type { Sql } from "./sql.ts";

export async function readResource(sql: Sql, at: Address): Promise<Stored | undefined> {
  const rows = await sql.query<ResourceRow>(
    `select ${resourceColumns} from resource where kind = $1 and scope = $2 and name = $3`,
    [at.kind, at.scope, at.name],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function readByUid(sql: Sql, uid: string): Promise<Stored | undefined> {
  const rows = await sql.query<ResourceRow>(`select ${resourceColumns} from resource where uid = $1::uuid`, [
    uid,
  ]);
  return rows[0] && fromRow(rows[0]);
}

/** What a caller may see: everything in the scope asked for, or only what lies in (or opens) these scopes. */
export type Visible = "all" | { readonly scopes: readonly Scope[] };

export interface ListQuery {
  readonly kind: string;
  readonly opensScope: boolean;
  readonly scope: Scope;
  readonly deep: boolean;
  readonly visible: Visible;
  readonly labels: readonly Term[];
  readonly fields: readonly Term[];
  /** Begin after this one. */
  readonly after?: { readonly scope: Scope; readonly name: string };
  readonly limit: number;
}

/** A page in the order of scope and name, with the revision at which it was true, read in one statement. */
export async function listResources(
  sql: Sql,
  query: ListQuery,
): Promise<{ items: Stored[]; revision: number }> {
  const params = values();
  const where = [
    `kind = ${params.add(query.kind)}`,
    scopeSql(query, params),
    ...labelSql(query.labels, params),
    ...fieldSql(query.fields, params),
  ];
  if (query.visible !== "all") where.push(visibleSql(query, params, query.visible.scopes));
  if (query.after !== undefined)
    where.push(`(scope, name) > (${params.add(query.after.scope)}, ${params.add(query.after.name)})`);
  const rows = await sql.query<ResourceRow & { counter: number; uid: string | null }>(
    `select c.value as counter, r.* from revision c left join lateral (
       select ${resourceColumns} from resource where ${where.join(" and ")} order by scope, name limit ${params.add(query.limit)}
     ) r on true where c.id = 1 order by r.scope, r.name`,
    params.list,
  );
  const items = rows.filter((row) => row.uid !== null).map(fromRow);
  return { items, revision: rows[0]?.counter ?? 0 };
}

function scopeSql(query: ListQuery, params: ReturnType<typeof values>): string {
  if (!query.deep) return `scope = ${params.add(query.scope)}`;
  if (query.scope === "") return "true";
  // Names hold no character that LIKE treats in a special way.
  return `(scope = ${params.add(query.scope)} or scope like ${params.add(`${query.scope}/%`)})`;
}

function visibleSql(query: ListQuery, params: ReturnType<typeof values>, scopes: readonly Scope[]): string {
  // A column called `scope` here would hide the resource's own and let everything match.
  const list = params.add(scopes);
  const path = query.opensScope ? "(case when scope = '' then name else scope || '/' || name end)" : "scope";
  const within = `exists (select 1 from unnest(${list}::text[]) as v (granted) where ${path} = v.granted or ${path} like v.granted || '/%' or v.granted = '')`;
  // To reach a granted scope, the scopes above it must be seen too.
  if (!query.opensScope) return within;
  return `(${within} or exists (select 1 from unnest(${list}::text[]) as v (granted) where v.granted like ${path} || '/%'))`;
}

/** What still belongs to a resource that is going: owned resources, and for a scope its contents. */
export interface Belonging {
  readonly uid: string;
  /** The scope that it opens, with all kinds, which are the first part of the index by address. */
  readonly contents?: { readonly scope: Scope; readonly kinds: readonly string[] } | undefined;
}

export async function listDependents(sql: Sql, of: Belonging, limit: number): Promise<Stored[]> {
  const rows = await sql.query<ResourceRow>(
    `select ${resourceColumns} from resource where uid in (${belongingSql})
     order by length(scope) desc, kind, scope, name limit $4`,
    [...belongingValues(of), limit],
  );
  return rows.map(fromRow);
}

export interface Held {
  readonly kind: string;
  readonly count: number;
}

export function countDependents(sql: Sql, of: Belonging): Promise<Held[]> {
  return sql.query<Held>(
    `select kind, count(*) as count from resource where uid in (${belongingSql}) group by kind order by kind`,
    belongingValues(of),
  );
}

const belongingSql = `select uid from resource where owner_uid = $1::uuid
  union select uid from resource where kind = any($3::text[]) and scope = $2
  union select uid from resource where kind = any($3::text[]) and scope like $2 || '/%'`;

function belongingValues({ uid, contents }: Belonging): unknown[] {
  return [uid, contents?.scope ?? "", contents?.kinds ?? []];
}

/** All resources of a few small kinds, such as role bindings of one subject; not for lists that people page through. */
export async function findResources(sql: Sql, kind: string, fields: readonly Term[]): Promise<Stored[]> {
  const params = values();
  const where = [`kind = ${params.add(kind)}`, ...fieldSql(fields, params)];
  const rows = await sql.query<ResourceRow>(
    `select ${resourceColumns} from resource where ${where.join(" and ")} order by scope, name`,
    params.list,
  );
  return rows.map(fromRow);
}
