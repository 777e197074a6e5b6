import type { Sql } from "./sql.ts";

/**
 * A value as it is stored: closed by a key of its own (`data`), which the scope key named by `key` closes (`wrapped`). A rotation
 * renews `key` and `wrapped` only.
 */
export type Sealed = {
  readonly key: string;
  readonly wrapped: string;
  readonly nonce: string;
  readonly data: string;
};

/**
 * A jsonb column that holds sealed values, or null. Rotations find its values by `column ->> 'key'`: give that an index. Names
 * are ours, never a caller's.
 */
export interface SealedColumn {
  readonly table: string;
  /** The columns of the table's primary key, as in `secret, version`. */
  readonly key: string;
  readonly column: string;
}

/** The core's own: the keys that sign the audit's heads and the certificates of agents, and those that seal what is kept. */
export const coreSealed: readonly SealedColumn[] = [
  { table: "audit_sealed", key: "id", column: "signing_key" },
  { table: "authority", key: "id", column: "signing_key" },
  { table: "data_key", key: "id", column: "sealed" },
];

/** A value and the primary key of its row, in the order of the column's `key`. */
export interface SealedValue {
  readonly row: readonly unknown[];
  readonly sealed: Sealed;
}

/** Values of a column that are closed by this scope key. */
export async function listSealed(
  sql: Sql,
  { table, key, column }: SealedColumn,
  scopeKey: string,
  limit: number,
): Promise<SealedValue[]> {
  const rows = await sql.query<Record<string, unknown> & { sealed_value: Sealed }>(
    `select ${key}, ${column} as sealed_value from ${table} where ${column} ->> 'key' = $1 limit $2`,
    [scopeKey, limit],
  );
  return rows.map((row) => ({ row: partsOf(key).map((part) => row[part]), sealed: row.sealed_value }));
}

/** Without effect when the row is gone or holds another value meanwhile. */
export async function replaceSealed(
  sql: Sql,
  { table, key, column }: SealedColumn,
  { row, sealed }: SealedValue,
  after: Sealed,
): Promise<void> {
  const same = partsOf(key).map((part, at) => `${part} = $${at + 3}`);
  await sql.query(
    `update ${table} set ${column} = $1 where ${column} ->> 'wrapped' = $2 and ${same.join(" and ")}`,
    [after, sealed.wrapped, ...row],
  );
}

/** How many values each scope key closes. */
export async function countSealed(
  sql: Sql,
  columns: readonly SealedColumn[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ key: string; values: number }>(
    `select key, count(*) as values from (${usedKeys(columns)}) as used group by key`,
  );
  return new Map(rows.map((row) => [row.key, row.values]));
}

/** A query of the scope key of every sealed value. */
export function usedKeys(columns: readonly SealedColumn[]): string {
  const parts = columns.map(
    ({ table, column }) => `select ${column} ->> 'key' as key from ${table} where ${column} is not null`,
  );
  return parts.length === 0 ? "select '' as key where false" : parts.join(" union all ");
}

function partsOf(key: string): string[] {
  return key.split(",").map((part) => part.trim());
}
