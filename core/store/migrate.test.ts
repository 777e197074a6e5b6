import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newUid } from "@reeve/model";
import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { coreMigrations, type Migration, migrate, readMigrations } from "./migrate.ts";
import { announceReplica, withdrawReplica } from "./replicas.ts";
import type { Sql } from "./sql.ts";
import { areaMigrations, testDatabase } from "./testing.ts";

const folders = [coreMigrations, ...areaMigrations()];
const all = await readMigrations(folders);

/** Data as an installation at this migration would have it, beside the migration. */
function dataFile(migration: Migration): string {
  const folder = folders.find((one) => one.room === migration.room)?.path as string;
  return join(folder, "data", migration.name);
}

/** Every row of every table of ours, as text, without the columns that only a later version knows. */
async function contents(
  sql: Sql,
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  for (const [table, names] of columns)
    found.set(
      table,
      await sql.query(
        `select ${names.map((name) => `${name}::text`).join(", ")} from ${table} order by 1, 2`,
      ),
    );
  return found;
}

async function columnsOf(sql: Sql): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'public' and table_name not in ('migration', 'lane_mark') order by table_name, ordinal_position`,
  );
  const columns = new Map<string, string[]>();
  for (const row of rows)
    columns.set(row.table_name, [...(columns.get(row.table_name) ?? []), row.column_name]);
  return columns;
}

test.each(all.map((migration, index) => ({ name: `${migration.room}/${migration.name}`, index })).slice(1))(
  "$name keeps the data of the version before",
  async ({ index }) => {
    const { database } = await testDatabase({ template: "template1" });
    const before = all.slice(0, index);
    await migrate(database, before);
    for (const migration of before)
      if (existsSync(dataFile(migration))) await database.query(readFileSync(dataFile(migration), "utf8"));
    const columns = await columnsOf(database);
    const kept = await contents(database, columns);
    expect([...kept.values()].flat().length).toBeGreaterThan(5);
    await migrate(database, all.slice(0, index + 1));
    expect(await contents(database, columns)).toEqual(kept);
  },
);

test("every migration has data of its version, for the one after it", () => {
  for (const migration of all) expect(existsSync(dataFile(migration)), dataFile(migration)).toBe(true);
});

test("three replicas that start at once on an empty database migrate it once", async () => {
  const { database, url } = await testDatabase({ template: "template1" });
  const replicas = [...Array(3)].map(() => openDatabase({ url, connections: 2 }));
  const applied = await Promise.all(replicas.map((replica) => migrate(replica, all)));
  expect(applied.flat().sort()).toEqual(all.map((one) => `${one.room}/${one.name}`).sort());
  expect((await database.query("select 1 from bucket")).length).toBe(64);
  await Promise.all(replicas.map((replica) => replica.close()));
});

test("a database that is ahead of this version is refused", async () => {
  const { database } = await testDatabase();
  await expect(migrate(database, all.slice(0, -1))).rejects.toThrow("start a newer version");
});

test("a migration that was edited after it was applied is refused", async () => {
  const { database } = await testDatabase();
  const edited = all.map((one, index) => (index === 0 ? { ...one, hash: "other" } : one));
  await expect(migrate(database, edited)).rejects.toThrow("must never be edited");
});

function next(text: string, breaking: boolean): Migration {
  const number = all.filter(({ room }) => room === "core").length + 1;
  return { room: "core", number, name: `${number}-next.sql`, text, hash: text, breaking };
}

const old = () => ({
  name: "one",
  session: newUid(),
  peerAddress: "",
  certificate: "",
  roles: ["work"],
  version: "0.0.9",
});

test("a breaking migration is refused while a replica is there, and is carried out when it has left", async () => {
  const { database } = await testDatabase();
  const me = old();
  await announceReplica(database, me);
  const breaking = [...all, next("create table broken (id int)", true)];
  await expect(migrate(database, breaking, { patienceMs: 0 })).rejects.toThrow(
    /^migration core\/\d+-next\.sql would break .*: one \(version 0\.0\.9\)\. Nothing was changed: stop them all/,
  );
  expect(await database.query("select 1 from information_schema.tables where table_name = 'broken'")).toEqual(
    [],
  );
  await withdrawReplica(database, me);
  expect(await migrate(database, breaking)).toHaveLength(1);
});

test("one that breaks nothing does not wait for anybody, and a replica that was killed is waited for no longer than its lease", async () => {
  const { database } = await testDatabase();
  await announceReplica(database, old());
  await database.query("update replica set seen_at = now() - interval '9 seconds'");
  const harmless = next("create table harmless (id int)", false);
  expect(await migrate(database, [...all, harmless])).toHaveLength(1);
  const breaking = { ...next("create table broken (id int)", true), number: harmless.number + 1 };
  expect(await migrate(database, [...all, harmless, breaking])).toHaveLength(1);
  const [left] = await database.query<{ live: boolean }>(
    "select seen_at > now() - interval '10 seconds' as live from replica",
  );
  expect(left).toEqual({ live: false });
});

test("a migration has no limit of time, which every other statement has", async () => {
  const { database } = await testDatabase();
  const limit = "select current_setting('statement_timeout') as text";
  await migrate(database, [...all, next(`create table seen as ${limit}`, false)]);
  expect(await database.query("select text from seen")).toEqual([{ text: "0" }]);
  expect(await database.query(limit)).toEqual([{ text: "30s" }]);
});

test("a migration that fails leaves nothing behind", async () => {
  const { database } = await testDatabase();
  const failing = [...all, next("create table half (id int); select 1 / 0", false)];
  await expect(migrate(database, failing)).rejects.toThrow("division by zero");
  expect(await database.query("select 1 from information_schema.tables where table_name = 'half'")).toEqual(
    [],
  );
});
