import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database.ts";
import { listReplicas, replicaLeaseMs } from "./replicas.ts";
import type { Sql } from "./sql.ts";
import { troubleOf } from "./trouble.ts";

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
 * version, whose past differs from ours, or that replicas use which would not survive what is pending.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  { patienceMs = leaseAndMoreMs }: { patienceMs?: number } = {},
): Promise<string[]> {
  // Outside the transaction, so that several replicas can start on an empty database.
  await makeOwnTables(database);
  const deadline = performance.now() + patienceMs;
  for (;;)
    try {
      return await migrateOnce(database, migrations);
    } catch (error) {
      // What was carried out in spite of an error is found done by the next try.
      const passing = error instanceof StillThere || ["again", "away"].includes(troubleOf(error));
      if (!passing || performance.now() > deadline) throw error;
      await sleep(300);
    }
}

/** A replica that was killed a moment ago counts as there for its lease: an upgrade after a crash need not be told twice. */
const leaseAndMoreMs = replicaLeaseMs + 2000;

/** On a connection apart: the pool's limits of time would break a migration of a large table off, at every start again. */
async function migrateOnce(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const connection = await database.apart();
  try {
    await connection.query("begin");
    const applied = await applyPending(connection, migrations);
    await connection.query("commit");
    return applied;
  } finally {
    await connection.close();
  }
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
  const breaking = pending.find((one) => one.breaking);
  if (breaking !== undefined) await refuseBeside(sql, breaking);
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

class StillThere extends Error {}

/** Who starts migrates before it announces itself, so whoever is there while something is pending is of a version before. */
async function refuseBeside(sql: Sql, { room, name }: Migration): Promise<void> {
  const tables = await sql.query(
    "select 1 from information_schema.tables where table_schema = current_schema() and table_name = 'replica'",
  );
  const live = tables.length === 0 ? [] : (await listReplicas(sql)).filter((replica) => replica.live);
  if (live.length === 0) return;
  const names = live.map((replica) => `${replica.name} (version ${replica.version})`).join(", ");
  throw new StillThere(
    `migration ${room}/${name} would break replicas that still run an older version: ${names}. Nothing was changed: stop them all, then start this one again`,
  );
}
