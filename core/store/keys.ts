import type { Sealed } from "./sealed.ts";
import type { Sql } from "./sql.ts";

export interface RootKeyRow {
  readonly id: string;
  readonly proof: string;
}

export interface ScopeKeyRow {
  readonly id: string;
  readonly organization: string;
  readonly root: string;
  readonly wrapped: string;
}

export async function readCurrentRoot(sql: Sql): Promise<RootKeyRow | undefined> {
  return (await sql.query<RootKeyRow>("select id, proof from root_key where state = 'current'"))[0];
}

/** The root keys without which something could not be opened. */
export function neededRoots(sql: Sql): Promise<RootKeyRow[]> {
  return sql.query<RootKeyRow>(
    `select id, proof from root_key r
     where state = 'current' or exists (select 1 from scope_key s where s.root = r.id) order by id`,
  );
}

/** Makes this the installation's first root key; without effect when it has one. */
export async function insertFirstRoot(sql: Sql, row: RootKeyRow): Promise<void> {
  await sql.query("insert into root_key (id, proof) values ($1, $2) on conflict do nothing", [
    row.id,
    row.proof,
  ]);
}

export async function readScopeKey(sql: Sql, id: string): Promise<ScopeKeyRow | undefined> {
  const rows = await sql.query<ScopeKeyRow>(
    "select id, organization, root, wrapped from scope_key where id = $1::uuid",
    [id],
  );
  return rows[0];
}

export async function readCurrentScopeKey(sql: Sql, organization: string): Promise<ScopeKeyRow | undefined> {
  const rows = await sql.query<ScopeKeyRow>(
    "select id, organization, root, wrapped from scope_key where organization = $1 and state = 'current'",
    [organization],
  );
  return rows[0];
}

/** Makes this its organization's key; without effect when it has one. */
export async function insertScopeKey(sql: Sql, row: ScopeKeyRow): Promise<void> {
  await sql.query(
    `insert into scope_key (id, organization, root, wrapped) values ($1::uuid, $2, $3, $4) on conflict do nothing`,
    [row.id, row.organization, row.root, row.wrapped],
  );
}

/** Stores a sealed value and gives it back as it lies in the table. */
export async function storeForCheck(sql: Sql, id: string, sealed: Sealed): Promise<string> {
  await sql.query("insert into key_check (id, sealed) values ($1::uuid, $2)", [id, sealed]);
  const rows = await sql.query<{ stored: string }>(
    "select sealed::text as stored from key_check where id = $1::uuid",
    [id],
  );
  await sql.query("delete from key_check where id = $1::uuid", [id]);
  return rows[0]?.stored ?? "";
}
