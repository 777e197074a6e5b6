/**
 * Rows handed to a statement as one array a column: `unnest` takes thousands at once (measured: 220,000 rows/s), and the
 * statement's text stays the same whatever their number, so it is prepared once.
 */
export interface RowSet<Row> {
  /** For a `from` clause: `unnest($1::uuid[], $2::text[]) as v (run, why)`. Columns are named as the keys, in snake case. */
  readonly from: string;
  /** The names of the columns, joined: `run, why`. */
  readonly names: string;
  readonly values: (rows: readonly Row[]) => string[];
}

export function rowSet<Row extends object>(types: Readonly<Record<keyof Row & string, string>>): RowSet<Row> {
  const keys = Object.keys(types) as (keyof Row & string)[];
  const names = keys.map(snake).join(", ");
  const arrays = keys.map((key, at) => `$${at + 1}::${types[key]}[]`).join(", ");
  return {
    from: `unnest(${arrays}) as v (${names})`,
    names,
    values: (rows) => keys.map((key) => arrayText(rows, key)),
  };
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** As Postgres writes an array. By ourselves, because pg's own way takes eight times as long, a tenth of a step's time here. */
function arrayText<Row>(rows: readonly Row[], key: keyof Row): string {
  let text = "{";
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? "" : ",") + element((rows[at] as Row)[key]);
  return `${text}}`;
}

/** Neither empty nor with a character that means something in an array. */
const bare = /^[\w:.+-]+$/;

/** What is undefined is null; objects are for jsonb columns. */
function element(value: unknown): string {
  if (value === undefined || value === null) return "NULL";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString("hex")}"`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (bare.test(text) && text.toUpperCase() !== "NULL") return text;
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
