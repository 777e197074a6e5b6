import type { Sql } from "@reeve/store";

/**
 * Tables whose rows are of no use in another life of the installation. Every other table is in a backup, also one that did not
 * exist when this was written.
 */
const leftOut: Readonly<Record<string, string>> = {
  migration: "the manifest lists them, and a restore applies them",
  lane_mark: "marks of transactions whose connections are gone",
  replica: "servers announce themselves when they start",
  bucket: "leases of servers that are gone",
  session: "a restore ends all sessions",
  ticket: "sign-ins that were never finished",
  workload_token: "they live for minutes, like sessions",
};

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The tables that a backup holds, as they are now. */
export async function keptTables(sql: Sql): Promise<Table[]> {
  const rows = await sql.query<{ name: string; columns: string[] }>(
    `select c.table_name as name, array_agg(c.column_name::text order by c.ordinal_position) as columns
     from information_schema.columns c
     join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
     where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
     group by c.table_name order by c.table_name`,
  );
  const tables = rows.filter((row) => !Object.hasOwn(leftOut, row.name));
  return inOrder(tables, await references(sql));
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

function references(sql: Sql): Promise<Reference[]> {
  return sql.query<Reference>(
    `select f.relname as from, t.relname as to from pg_constraint c
     join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
     where c.contype = 'f' and f.relnamespace = current_schema()::regnamespace`,
  );
}

/** A table comes after those it refers to, so that it can be filled after them. */
function inOrder(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const ordered: Table[] = [];
  const add = (table: Table) => {
    if (ordered.includes(table)) return;
    for (const { to } of references.filter(({ from }) => from === table.name))
      for (const other of tables) if (other.name === to && other !== table) add(other);
    ordered.push(table);
  };
  for (const table of tables) add(table);
  return ordered;
}

export async function countRows(sql: Sql, table: string): Promise<number> {
  const rows = await sql.query<{ count: number }>(`select count(*) as count from ${quoted(table)}`);
  return rows[0]?.count ?? 0;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
