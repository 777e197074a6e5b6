/**
 * Rows handed to a statement as one array a column: `unnest` takes thousands at once (measured: 220,000 rows/s), and the
 * statement's text stays the same whatever their number, so it is prepared once.
 */
export interface RowSet<Row> {
  /** For a `from` clause: `unnest($1::uuid[], $2::text[]) as v (run, why)`. Columns are named as the keys, in snake case. */
  readonly from: string;
  /** The names of the columns, joined: `run, why`. */
  readonly names: string;
  readonly values: (rows: readonly Row[]) => unknown[][];
}

export function rowSet<Row extends object>(types: Readonly<Record<keyof Row & string, string>>): RowSet<Row> {
  const keys = Object.keys(types) as (keyof Row & string)[];
  const names = keys.map(snake).join(", ");
  const arrays = keys.map((key, at) => `$${at + 1}::${types[key]}[]`).join(", ");
  return {
    from: `unnest(${arrays}) as v (${names})`,
    names,
    values: (rows) => keys.map((key) => rows.map((row) => plain(row[key]))),
  };
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What is undefined is null; objects are for jsonb columns. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "object" && !Buffer.isBuffer(value)) return JSON.stringify(value);
  return value;
}
