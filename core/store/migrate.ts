import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "./database.ts";
import type { Sql } from "./sql.ts";

/** Migrations of one room: core's own, or an area's. They go forward only. */
export interface MigrationFolder {
  readonly room: string;
  readonly path: string;
}

export interface Migration {
  readonly room: string;
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly hash: string;
  /** A breaking migration cannot run while replicas of the version before are still there. */
  readonly breaking: boolean;
}

export const coreMigrations: MigrationFolder = {
  room: "core",
  path: join(import.meta.dirname, "migrations"),
};

export async function readMigrations(folders: readonly MigrationFolder[]): Promise<Migration[]> {
  const all: Migration[] = [];
  for (const { room, path } of folders) {
    const files = (await readdir(path)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
    for (const [index, file] of files.entries()) {
      const text = await readFile(join(path, file), "utf8");
      const breaking = /^-- breaking: (yes|no)$/m.exec(text)?.[1];
      if (Number(file.slice(0, 4)) !== index + 1)
        throw new Error(`${room}/${file}: migrations are numbered 0001, 0002, … without a gap`);
      if (breaking === undefined)
        throw new Error(`${room}/${file}: begin it with "-- breaking: yes" or "-- breaking: no"`);
      all.push({
        room,
        number: index + 1,
        name: file,
        text,
        hash: createHash("sha256").update(text).digest("hex"),
        breaking: breaking === "yes",
      });
    }
  }
  return all;
}

/**
 * Brings the schema up to date, in one transaction, one replica at a time. Refuses a database that is ahead of this
 * version, or whose past differs from ours.
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  // Outside the transaction, so that several replicas can start on an empty database.
  await makeOwnTables(database);
  return database.transact((sql) => applyPending(sql, migrations));
}

/** What migrating itself needs: its table with the lock row, and the marks that transact() leaves. */
export async function makeOwnTables(sql: Sql): Promise<void> {
  await makeTable(
    sql,
    "create table if not exists migration (room text not null, number int not null, name text not null, hash text not null, at timestamptz not null default now(), primary key (room, number))",
  );
  await sql.query(
    "insert into migration (room, number, name, hash) values ('lock', 0, 'lock', '') on conflict do nothing",
  );
  await makeTable(
    sql,
    "create table if not exists lane_mark (id uuid primary key, at timestamptz not null default now())",
  );
}

/** Postgres lets two that make the same table at once collide in spite of `if not exists`; the second then finds it. */
async function makeTable(sql: Sql, text: string): Promise<void> {
  await sql.query(text).catch(() => sql.query(text));
}

/** In the caller's transaction: a restore makes the tables and fills them in one. */
export async function applyPending(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  await sql.query("select 1 from migration where room = 'lock' for update");
  const done = await sql.query<{ room: string; number: number; name: string; hash: string }>(
    "select room, number, name, hash from migration where room <> 'lock' order by room, number",
  );
  for (const row of done) {
    const ours = migrations.find((one) => one.room === row.room && one.number === row.number);
    if (ours === undefined)
      throw new Error(
        `the database has migration ${row.room}/${row.name}, which this version of Reeve does not know: start a newer version`,
      );
    if (ours.hash !== row.hash)
      throw new Error(
        `migration ${row.room}/${row.name} was applied in another form: migrations must never be edited`,
      );
  }
  const known = new Set(done.map((row) => `${row.room}/${row.number}`));
  const pending = migrations.filter((one) => !known.has(`${one.room}/${one.number}`));
  for (const one of pending) {
    await sql.query(one.text);
    await sql.query("insert into migration (room, number, name, hash) values ($1, $2, $3, $4)", [
      one.room,
      one.number,
      one.name,
      one.hash,
    ]);
  }
  return pending.map((one) => `${one.room}/${one.name}`);
}
