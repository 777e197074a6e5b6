import type { RootKeyRow, ScopeKeyRow } from "./keys.ts";
import type { RetentionRule } from "./retention.ts";
import { countSealed, type SealedColumn, usedKeys } from "./sealed.ts";
import type { Sql } from "./sql.ts";

/** Makes another root key the current one; false when the one before is not that any more. */
export async function moveRoot(sql: Sql, from: string, to: RootKeyRow): Promise<boolean> {
  const moved = await sql.query(
    "update root_key set state = 'retired', since = now() where id = $1 and state = 'current' returning id",
    [from],
  );
  if (moved.length === 0) return false;
  await sql.query(
    `insert into root_key (id, proof) values ($1, $2)
     on conflict (id) do update set proof = excluded.proof, state = 'current', since = now()`,
    [to.id, to.proof],
  );
  return true;
}

/** Scope keys that are closed by another root key than the current one. */
export function scopeKeysToRewrap(sql: Sql, limit: number): Promise<ScopeKeyRow[]> {
  return sql.query<ScopeKeyRow>(
    `select id, organization, root, wrapped from scope_key
     where root <> (select id from root_key where state = 'current') order by id limit $1`,
    [limit],
  );
}

/** Without effect when it was renewed meanwhile. */
export async function replaceWrapped(sql: Sql, before: ScopeKeyRow, after: ScopeKeyRow): Promise<void> {
  await sql.query("update scope_key set root = $3, wrapped = $4 where id = $1::uuid and wrapped = $2", [
    before.id,
    before.wrapped,
    after.root,
    after.wrapped,
  ]);
}

/** The organizations' next values make new keys; all organizations when none is named. */
export async function retireScopeKeys(sql: Sql, organization: string | undefined): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `update scope_key set state = 'retired', since = now()
     where state = 'current' and ($1::text is null or organization = $1) returning id`,
    [organization ?? null],
  );
  return rows.map((row) => row.id);
}

export async function retiredScopeKeys(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    "select id from scope_key where state = 'retired' order by id",
  );
  return rows.map((row) => row.id);
}

/** A key as people see it. `holds` is how many scope keys a root key closes, or how many values a scope key. */
export type KeyState = {
  readonly id: string;
  readonly level: "root" | "scope";
  /** '' is the installation; a root key has none. */
  readonly organization: string | null;
  readonly state: "current" | "retired";
  readonly since: string;
  readonly holds: number;
};

/** Root keys first, then by organization; the current one before those it has replaced. */
export async function listKeys(sql: Sql, columns: readonly SealedColumn[]): Promise<KeyState[]> {
  const roots = await sql.query<KeyState>(
    `select id, 'root' as level, null as organization, state, since,
       (select count(*) from scope_key s where s.root = r.id) as holds
     from root_key r order by state, since desc`,
  );
  const scopes = await sql.query<Omit<KeyState, "holds">>(
    `select id, 'scope' as level, organization, state, since from scope_key
     order by organization, state, since desc`,
  );
  const counts = await countSealed(sql, columns);
  return [...roots, ...scopes.map((key) => ({ ...key, holds: counts.get(key.id) ?? 0 }))];
}

/** Forgets a retired root key that closes nothing; false when it is not one. */
export async function deleteRootKey(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(
    `delete from root_key r where id = $1 and state = 'retired'
       and not exists (select 1 from scope_key s where s.root = r.id) returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Forgets scope keys, or this one, that close nothing and were retired long enough ago; returns how many. */
export async function deleteScopeKeys(
  sql: Sql,
  columns: readonly SealedColumn[],
  given: { readonly retiredMinutes: number; readonly limit: number; readonly id?: string },
): Promise<number> {
  const rows = await sql.query(
    `delete from scope_key where id in (
       select s.id from scope_key s where s.state = 'retired' and s.since < now() - $1 * interval '1 minute'
         and ($2::text is null or s.id::text = $2) and ${unused(columns)} limit $3) returning id`,
    [given.retiredMinutes, given.id ?? null, given.limit],
  );
  return rows.length;
}

/** Scope keys that close nothing go a day after they were retired; those of organizations that are gone are retired first. */
export function scopeKeyRetention(columns: readonly SealedColumn[]): RetentionRule {
  return {
    name: "scope keys",
    async prune(sql, limit) {
      await sql.query(
        `update scope_key s set state = 'retired', since = now()
         where s.state = 'current' and s.organization <> '' and ${unused(columns)} and not exists (
           select 1 from resource r where r.kind = 'Organization' and r.scope = '' and r.name = s.organization)`,
      );
      return deleteScopeKeys(sql, columns, { retiredMinutes: 24 * 60, limit });
    },
  };
}

function unused(columns: readonly SealedColumn[]): string {
  return `not exists (select 1 from (${usedKeys(columns)}) as used where used.key = s.id::text)`;
}
