import type { Writable } from "node:stream";
import {
  applyPending,
  beginTimeline,
  type Connection,
  type Migration,
  makeOwnTables,
  readInstallation,
} from "@reeve/store";
import { countRows, quoted, type Table } from "./tables.ts";

/** A database that is being filled, in one transaction: whoever is killed on the way leaves it as it was. */
export interface Refill {
  /** Where the rows of a table go, in the place of those that its migration made. */
  write(table: Table): Promise<Writable>;
  count(table: Table): Promise<number>;
  /** Makes it an installation of this version that knows that it was restored: revisions go on far beyond what anybody has seen. */
  newTimeline(takenAt: string): Promise<void>;
  commit(): Promise<void>;
}

/** Makes the tables as they were at the time of the backup, in a database that `occupantOf` says is free. */
export async function beginRefill(
  connection: Connection,
  all: readonly Migration[],
  applied: readonly Migration[],
): Promise<Refill> {
  await connection.query("begin");
  // A server that found the database empty has made today's tables; those of the backup may be older.
  const names = ["migration", "lane_mark", ...all.flatMap(({ text }) => tablesMadeBy(text))];
  await connection.query(`drop table if exists ${names.map(quoted).join(", ")}`);
  await makeOwnTables(connection);
  await applyPending(connection, applied);
  return {
    async write({ name, columns }) {
      await connection.query(`delete from ${quoted(name)}`);
      return connection.copyIn(`${quoted(name)} (${columns.map(quoted).join(", ")})`).stream;
    },
    count: (table) => countRows(connection, table.name),
    async newTimeline(takenAt) {
      await applyPending(connection, all);
      await beginTimeline(connection, takenAt);
    },
    async commit() {
      await connection.query("commit");
    },
  };
}

function tablesMadeBy(migration: string): string[] {
  return [...migration.matchAll(/^create table (?:if not exists )?(\w+)/gim)].map((found) =>
    String(found[1]),
  );
}

/** Who lives in a database: an installation, tables of another program, or nobody. */
export async function occupantOf(
  connection: Connection,
  all: readonly Migration[],
): Promise<"installation" | "stranger" | "nobody"> {
  const rows = await connection.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = current_schema()",
  );
  const there = new Set(rows.map((row) => row.name));
  if (!all.some(({ text }) => tablesMadeBy(text).some((name) => there.has(name)))) return "nobody";
  if (!there.has("migration") || !there.has("installation") || !there.has("lane_mark")) return "stranger";
  return (await readInstallation(connection)) === undefined ? "nobody" : "installation";
}
