/** Reads a schema out of the catalog as SQL. It refuses what it does not know rather than leave it out. */
import type { Sql } from "../../core/store/index.ts";

export async function dumpSchema(sql: Sql): Promise<string> {
  await refuseUnknown(sql);
  const columns = Map.groupBy(await sql.query<Line>(columnLines), ({ table }) => table);
  const constraints = Map.groupBy(await sql.query<Line>(constraintLines), ({ table }) => table);
  const indexes = Map.groupBy(await sql.query<Line>(indexLines), ({ table }) => table);
  const tables = [...columns.keys()].sort().map((table) => {
    const parts = [...(columns.get(table) ?? []), ...(constraints.get(table) ?? [])];
    const made = `create table ${table} (\n${parts.map(({ line }) => `  ${line}`).join(",\n")}\n);\n`;
    return made + (indexes.get(table) ?? []).map(({ line }) => `${line};\n`).join("");
  });
  return tables.join("\n");
}

interface Line {
  table: string;
  line: string;
}

const columnLines = `
  select c.relname as table,
    quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || case when d.adbin is null then ''
        when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
        else ' default ' || pg_get_expr(d.adbin, d.adrelid) end as line
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  order by c.relname, a.attnum`;

/** Postgres 18 also lists "not null" as constraints; they stand with their columns. */
const constraintLines = `
  select c.relname as table, 'constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) as line
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and k.contype <> 'n'
  order by c.relname, k.contype = 'p' desc, k.conname`;

const indexLines = `
  select c.relname as table, pg_get_indexdef(i.indexrelid) as line
  from pg_index i
  join pg_class c on c.oid = i.indrelid
  join pg_class n on n.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace
    and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
  order by c.relname, n.relname`;

/** Views, sequences, functions, triggers, types, other schemas, columns computed when read: not used so far, so not read so far. */
const unknownThings = `
  select 'relation ' || relname as thing from pg_class
    where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i')
  union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
  union all select 'type ' || typname from pg_type
    where typnamespace = 'public'::regnamespace and typtype not in ('c', 'b')
  union all select 'schema ' || nspname from pg_namespace
    where nspname not in ('public', 'information_schema') and nspname not like 'pg\\_%'
  union all select 'column ' || attname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and (attidentity <> '' or attgenerated not in ('', 's'))`;

async function refuseUnknown(sql: Sql): Promise<void> {
  const things = (await sql.query<{ thing: string }>(unknownThings)).map(({ thing }) => thing);
  if (things.length > 0)
    throw new Error(
      `tools/generate/dump-schema.ts cannot write out the ${things.join(", the ")}: teach it to`,
    );
}
