import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStorage } from "@reeve/control/storage";
import { coreMigrations, type Database, migrate, readMigrations, type Sql } from "@reeve/store";
import { areaMigrations, testDatabase } from "@reeve/store/testing";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { restore } from "./restore.ts";
import { writeBackup } from "./write.ts";

const folders = [coreMigrations, ...areaMigrations()];
const migrations = await readMigrations(folders);
const identity = await generateX25519Identity();

function emptyDatabase(): Promise<{ database: Database }> {
  return testDatabase({ template: "template0" });
}

/** A database with rows in every table, as the fixtures of the migrations have them. */
async function fullDatabase(upTo = migrations.length): Promise<Database> {
  const { database } = await emptyDatabase();
  await migrate(database, migrations.slice(0, upTo));
  for (const { room, name } of migrations.slice(0, upTo)) {
    const path = folders.find((one) => one.room === room)?.path as string;
    await database.query(readFileSync(join(path, "data", name), "utf8"));
  }
  // Every transaction leaves its mark; a migration is none of those.
  await database.transact((sql) => sql.query("select 1"));
  return database;
}

async function backUp(database: Database) {
  const folder = mkdtempSync(join(tmpdir(), "reeve-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const storage = folderStorage(folder);
  await storage.prepare(async () => undefined);
  await writeBackup({
    database,
    storage,
    recipients: [await identityToRecipient(identity)],
    name: "one",
    uid: "01900000-0000-7000-8000-0000000000ff",
    version: "test",
    onProgress: async () => {},
  });
  const restoring = (into: Database, changed = {}) => ({
    database: into,
    storage,
    name: "one",
    identities: [identity],
    migrations,
    check: async () => {},
    onProgress: () => {},
    ...changed,
  });
  return { folder, restoring };
}

/** Every row of every table, whatever tables there are. */
async function contents(sql: Sql): Promise<Record<string, string[]>> {
  const tables = await sql.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables)
    found[name] = (await sql.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)).map(
      ({ row }) => row,
    );
  return found;
}

test("a restore brings back every row of every table, but those of a former life", async () => {
  const source = await fullDatabase();
  const before = await contents(source);
  const { restoring } = await backUp(source);
  const { database } = await emptyDatabase();
  await restore(restoring(database));
  const after = await contents(database);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  // Written by hand: a table that is missing in a backup by mistake must not be missing here too.
  const former = ["lane_mark", "replica", "session", "ticket", "workload_token"];
  for (const table of former) {
    expect(before[table]?.length, table).toBeGreaterThan(0);
    expect(
      after[table]?.filter((row) => before[table]?.includes(row)),
      table,
    ).toEqual([]);
  }
  const renewed = [...former, "bucket", "migration", "installation", "revision"];
  for (const table of Object.keys(before).filter((name) => !renewed.includes(name)))
    expect(after[table], table).toEqual(before[table]);
  expect(after.bucket?.length).toBe(64);
  const sequences = await source.query("select 1 from information_schema.sequences");
  expect(sequences, "a sequence's position is in no table: a backup would lose it").toEqual([]);
});

test("a restore begins a new timeline, beyond every revision that anybody remembers, and knows of which time it is", async () => {
  type Row = Record<"uid" | "timeline" | "backedUpAt" | "restoredAt", string>;
  const source = await fullDatabase();
  const { folder, restoring } = await backUp(source);
  const { database } = await emptyDatabase();
  await restore(restoring(database));
  const timelines =
    'select uid, timeline, backed_up_at as "backedUpAt", restored_at as "restoredAt" from installation';
  const [old] = await source.query<Row>(timelines);
  const [now] = await database.query<Row>(timelines);
  expect(now?.uid).toBe(old?.uid);
  expect(now?.timeline).not.toBe(old?.timeline);
  const { takenAt } = JSON.parse(readFileSync(join(folder, "one", "manifest.json"), "utf8"));
  expect(now?.backedUpAt).toBe(takenAt);
  expect(Date.parse(String(now?.restoredAt))).toBeGreaterThan(Date.parse(takenAt));
  const [counter] = await database.query<{ value: number; compacted: number }>("select * from revision");
  expect(counter).toMatchObject({ value: 1_000_000_003, compacted: 1_000_000_003 });
});

test("a backup of an older version is restored and brought up to date", async () => {
  const { restoring } = await backUp(await fullDatabase(migrations.length - 1));
  const { database } = await emptyDatabase();
  // A server that found the database empty has made today's tables already.
  await migrate(database, migrations);
  await restore(restoring(database));
  expect(await database.query("select 1 from resource")).not.toEqual([]);
  const applied = await database.query("select 1 from migration where room <> 'lock'");
  expect(applied.length).toBe(migrations.length);
});

test("an installation is never overwritten, and another program's tables are left alone", async () => {
  const { restoring } = await backUp(await fullDatabase());
  const other = await fullDatabase();
  const before = await contents(other);
  await expect(restore(restoring(other))).rejects.toThrow(
    "there is an installation in this database already",
  );
  expect(await contents(other)).toEqual(before);
  const { database: strange } = await emptyDatabase();
  await strange.query("create table event (text text)");
  await expect(restore(restoring(strange))).rejects.toThrow("tables of another program");
});

test("with another identity, a lost part or a damaged one the database stays as empty as it was", async () => {
  const { folder, restoring } = await backUp(await fullDatabase());
  const { database } = await emptyDatabase();
  const stranger = { identities: [await generateX25519Identity()] };
  await expect(restore(restoring(database, stranger))).rejects.toThrow(
    "cannot be decrypted with this identity",
  );
  await expect(restore(restoring(database, { name: "two" }))).rejects.toThrow("no whole backup two");
  await expect(restore(restoring(database, { migrations: migrations.slice(0, -1) }))).rejects.toThrow(
    "which this version of Reeve does not know",
  );
  const attempt = readdirSync(join(folder, "one")).find((name) => name !== "manifest.json") as string;
  rmSync(join(folder, "one", attempt, "resource.copy.zst.age"));
  await expect(restore(restoring(database))).rejects.toThrow("is missing");
  expect(await contents(database)).toEqual({});
});
