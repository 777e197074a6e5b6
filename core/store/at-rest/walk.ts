import type { Sql } from "../sql.ts";
import {
  aboutOf,
  keepJsonText,
  keepText,
  type Opener,
  type Place,
  plainJsonText,
  type Sealer,
} from "./at-rest.ts";

/** A value that is not as its organization wants it, as it lies in its row; JSON as its text, so that nothing of it changes. */
export interface Kept {
  readonly key: readonly unknown[];
  readonly organization: string;
  readonly value: string | Buffer;
  /** The id of its data key; null when it is in clear. */
  readonly sealed: string | null;
  /** What the place needs to know beside it. */
  readonly row: Readonly<Record<string, unknown>>;
}

export interface Page {
  readonly kept: readonly Kept[];
  /** Where the next page begins; undefined at the end. */
  readonly next: readonly unknown[] | undefined;
}

/** So many rows are looked through at once; of output, which is up to 256 KB a row, fewer. */
const rowsAtOnce = { json: 500, text: 500, bytes: 32 };

/**
 * Looks through the next rows of a place, in the order of their table, for values that are in clear where `seal` names their
 * organization, or sealed where `clear` does.
 */
export async function pageOfKept(
  sql: Sql,
  place: Place,
  wanted: { readonly seal: readonly string[]; readonly clear: readonly string[] },
  after: readonly unknown[] | undefined,
): Promise<Page> {
  const { through, form, column } = place;
  const table = through?.table ?? place.table;
  const walked = partsOf(through?.key ?? place.key);
  const list = walked.map((part) => `t.${part}`).join(", ");
  const beyond = (first: number, sign: string) =>
    `(${list}) ${sign} (${walked.map((_, at) => `$${first + at}`).join(", ")})`;
  const from = after === undefined ? "true" : beyond(1, ">");
  const [last] = await sql.query<Record<string, unknown>>(
    `select ${list} from ${table} t where ${from} order by ${list} limit 1 offset ${rowsAtOnce[form] - 1}`,
    after ?? [],
  );
  const next = last && walked.map((part) => last[part]);
  const values = [...(after ?? []), ...(next ?? []), wanted.seal, wanted.clear];
  const to = next === undefined ? "true" : beyond((after?.length ?? 0) + 1, "<=");
  const of = through === undefined ? "t" : "v";
  const columns = [
    ...partsOf(place.key).map((part, at) => `${of}.${part} as key_${at}`),
    ...(place.needs === undefined ? [] : partsOf(place.needs)),
    `${of}.${column}${form === "json" ? "::text" : ""} as kept_value`,
    `${sealedBy(`${of}.${column}`, form, of)} as kept_sealed`,
    `split_part(${place.scope}, '/', 1) as kept_of`,
  ];
  const rows = await sql.query<Record<string, unknown>>(
    `select * from (select ${columns.join(", ")} from ${table} t
       ${through === undefined ? "" : `join ${place.table} v on ${through.on}`}
       where ${from} and ${to} and ${of}.${column} is not null) as w
     where (kept_sealed is null and kept_of = any($${values.length - 1}::text[]))
       or (kept_sealed is not null and kept_of = any($${values.length}::text[]))`,
    values,
  );
  return { kept: rows.map((row) => keptOf(place, row)), next };
}

function sealedBy(column: string, form: Place["form"], of: string): string {
  if (form === "bytes") return `${of}.sealed::text`;
  const text = form === "json" ? `${column} ->> '$sealed'` : `substr(${column}, 9)`;
  const sealed = `nullif(split_part(${text}, ':', 1), '')`;
  return form === "json" ? sealed : `case when ${column} like '$sealed:%' then ${sealed} end`;
}

function keptOf(place: Place, row: Record<string, unknown>): Kept {
  return {
    key: partsOf(place.key).map((_, at) => row[`key_${at}`]),
    organization: row.kept_of as string,
    value: row.kept_value as Kept["value"],
    sealed: row.kept_sealed as string | null,
    row,
  };
}

export function sealKept(sealer: Sealer, place: Place, { key, value, row }: Kept): Kept["value"] {
  if (Buffer.isBuffer(value)) return sealer.seal(aboutOf(place, key), value);
  if (place.form === "text") return keepText(sealer, place, key, value as string);
  const readable = place.readable?.(JSON.parse(value as string), row);
  return keepJsonText(sealer, place, key, value as string, readable);
}

export function openKept(opener: Opener, place: Place, { key, value }: Kept): Kept["value"] {
  const about = aboutOf(place, key);
  if (Buffer.isBuffer(value)) return opener(about, value);
  const text = place.form === "text" ? (value as string) : `$sealed:${JSON.parse(value as string).$sealed}`;
  const plain = opener(about, Buffer.from(text.slice(text.lastIndexOf(":") + 1), "base64")).toString();
  return place.form === "text" ? plain : plainJsonText(plain);
}

/** Replaces a value by the same in its other form; says whether it was still the one that was read. */
export async function replaceKept(
  sql: Sql,
  { table, key, column, form }: Place,
  before: Kept,
  after: { readonly value: Kept["value"]; readonly sealed: string | null },
): Promise<boolean> {
  const type = { json: "jsonb", text: "text", bytes: "bytea" }[form];
  const is = form === "json" ? `${column}::text` : column;
  const same = partsOf(key).map((part, at) => `${part} = $${at + 3}`);
  const values: unknown[] = [after.value, before.value, ...before.key];
  const also = form === "bytes" ? `, sealed = $${values.push(after.sealed)}::uuid` : "";
  const rows = await sql.query(
    `update ${table} set ${column} = $1::${type}${also} where ${same.join(" and ")} and ${is} = $2 returning 1 as done`,
    values,
  );
  return rows.length > 0;
}

function partsOf(key: string): string[] {
  return key.split(",").map((part) => part.trim());
}
