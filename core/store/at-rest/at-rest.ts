import { Fault, type Json, type JsonObject, type Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";

/**
 * What seals the things of organizations that want it, where they are kept. It hangs on the database, so that whoever writes or reads a
 * row has it at hand.
 */
export interface AtRest {
  /** Whether any organization seals: when none does, nobody has to ask further. */
  readonly active: boolean;
  /** Seals for the organization of a scope; undefined when it does not. At once: who writes waits for nobody. */
  sealer(scope: Scope): Sealer | undefined;
  /** Opens what the data key of this id has sealed. Waits only for a key that was not met before. */
  opener(sql: Sql, key: string): Opener | Promise<Opener>;
}

export interface Sealer {
  /** The id of its data key. */
  readonly key: string;
  readonly seal: (about: string, plain: Uint8Array) => Buffer;
}

/** Throws unless the value is as it was sealed, about the same. */
export type Opener = (about: string, sealed: Uint8Array) => Buffer;

/** A column that is sealed where its organization wants it. All names are ours, never a caller's. */
export interface Place {
  readonly table: string;
  /** The columns of the primary key, as in `run, seq`. */
  readonly key: string;
  readonly column: string;
  /** `bytes` have the id of their data key in the column `sealed`. */
  readonly form: "json" | "text" | "bytes";
  /** The scope of a row `t`, in SQL. */
  readonly scope: string;
  /** Whose rows `t` are looked through, if not the table's own, and how they lead to those, which are `v`. */
  readonly through?: { readonly table: string; readonly key: string; readonly on: string };
  /** What stays readable beside the sealed value, for the database itself. */
  readonly readable?: (value: JsonObject, row: Readonly<Record<string, unknown>>) => JsonObject;
  /** Columns that this needs to know. */
  readonly needs?: string;
}

const mark = "$sealed";
const textMark = `${mark}:`;

/** Whose value it is: authenticated with it, so that it opens in its own row and column only. */
export function aboutOf({ table, column }: Pick<Place, "table" | "column">, key: readonly unknown[]): string {
  return `${table}.${column} ${key.map((part) => (Buffer.isBuffer(part) ? part.toString("hex") : part)).join(" ")}`;
}

/** A JSON value as it is to be kept. What a caller wrote to look like one of ours is set apart, so that nothing sealed is a caller's. */
export function keepJson(
  sealer: Sealer | undefined,
  place: Place,
  key: readonly unknown[],
  value: Json,
  readable: JsonObject = {},
): Json {
  if (value === null || value === undefined) return value;
  if (sealer === undefined) return apart(value);
  return { ...readable, [mark]: sealText(sealer, aboutOf(place, key), JSON.stringify(value)) };
}

/** A row with a JSON column as it is to be kept: the same row, where that changes nothing. */
export function keptRow<Row extends { readonly scope: Scope }>(
  sql: Sql,
  place: Place,
  row: Row,
  property: keyof Row,
  key: readonly unknown[],
): Row {
  const kept = keepJson(sql.atRest?.sealer(row.scope), place, key, row[property] as Json);
  return kept === row[property] ? row : { ...row, [property]: kept };
}

/** The same for a value that is a text already, which stays as it is to the letter. */
export function keepJsonText(
  sealer: Sealer,
  place: Place,
  key: readonly unknown[],
  text: string,
  readable: JsonObject = {},
): string {
  return JSON.stringify({ ...readable, [mark]: sealText(sealer, aboutOf(place, key), text) });
}

/** A JSON text that was sealed, as it is to be kept in clear. */
export function plainJsonText(text: string): string {
  return text.includes(mark) ? JSON.stringify(apart(JSON.parse(text))) : text;
}

function apart(value: Json): Json {
  return isMarked(value) ? { [mark]: "", value } : value;
}

/** A text as it is to be kept; for columns whose texts never begin as ours do. */
export function keepText(
  sealer: Sealer | undefined,
  place: Place,
  key: readonly unknown[],
  text: string,
): string {
  return sealer === undefined ? text : textMark + sealText(sealer, aboutOf(place, key), text);
}

/**
 * Rows with a column opened: at once and the same, when nothing in it is sealed. What does not open is a Fault, or left as it lies for
 * who finds out by other means that it was changed.
 */
export function opened<Row extends object>(
  sql: Sql,
  place: Place,
  rows: Row[],
  property: keyof Row,
  keyOf: (row: Row) => readonly unknown[],
  broken: "fault" | "leave" = "fault",
): Row[] | Promise<Row[]> {
  return rows.some((row) => sealedIn(row[property]) !== undefined)
    ? openRows(sql, place, rows, property, keyOf, broken)
    : rows;
}

async function openRows<Row extends object>(
  sql: Sql,
  place: Place,
  rows: readonly Row[],
  property: keyof Row,
  keyOf: (row: Row) => readonly unknown[],
  broken: "fault" | "leave",
): Promise<Row[]> {
  const texts = rows.map((row) => sealedIn(row[property]));
  const openers = await openersOf(
    sql,
    texts.flatMap((text) => text?.slice(0, text.indexOf(":")) || []),
  );
  return rows.map((row, at) => {
    const text = texts[at];
    if (text === undefined) return row;
    if (text === "") return { ...row, [property]: (row[property] as { value: Json }).value };
    const end = text.indexOf(":");
    const opener = openers.get(text.slice(0, end)) as Opener;
    try {
      const plain = opener(aboutOf(place, keyOf(row)), Buffer.from(text.slice(end + 1), "base64")).toString();
      return { ...row, [property]: place.form === "json" ? JSON.parse(plain) : plain };
    } catch (error) {
      if (broken === "leave") return row;
      throw error;
    }
  });
}

export async function openersOf(sql: Sql, keys: readonly string[]): Promise<ReadonlyMap<string, Opener>> {
  const openers = new Map<string, Opener>();
  for (const key of new Set(keys)) {
    if (sql.atRest === undefined)
      throw new Fault("internal", "something is sealed, and the keys are not open");
    openers.set(key, await sql.atRest.opener(sql, key));
  }
  return openers;
}

/** The sealed text in a value as it lies in its column, empty for what was only set apart; undefined when it is in clear. */
export function sealedIn(value: unknown): string | undefined {
  if (typeof value === "string") return value.startsWith(textMark) ? value.slice(textMark.length) : undefined;
  return isMarked(value) ? (value[mark] as string) : undefined;
}

function isMarked(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && mark in value;
}

function sealText(sealer: Sealer, about: string, text: string): string {
  return `${sealer.key}:${sealer.seal(about, Buffer.from(text)).toString("base64")}`;
}
