import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  coreMigrations,
  coreSealed,
  type Database,
  dataKeyRetention,
  defaultRetention,
  migrate,
  type RetentionRule,
  readMigrations,
  retentionRules,
  scopeKeyRetention,
} from "@reeve/store";
import { areaMigrations, testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { openAreas } from "./areas.ts";

/** No more rows than the installation has replicas, keys, organizations or the like. */
const bounded = [
  "audit_sealed",
  "authority",
  "bucket",
  "installation",
  "key_check",
  "migration",
  "revision",
  "root_key",
];
/** Rows that belong to a resource go in the transaction that ends it. */
const withTheirResource = [
  "agent",
  "credential",
  "group_member",
  "join_secret",
  "look",
  "passkey",
  "password",
  "provider_secret",
  "quota_use",
  "resource",
  "resource_label",
  "run_room",
  "totp",
];
/** Taken when they are due, by whoever looks after promises. */
const whenDue = ["run_promise"];
/** They go up to a signed head, so that what stays can be proven: core/control/audit/prune.test.ts. */
const upToHeads = ["audit", "audit_chain", "audit_head"];

test("of what is long over and belongs to nobody any more, nothing is left in any table that grows", async () => {
  const { database } = await testDatabase({ template: "template0" });
  const filled = await fill(database);
  const others = [...bounded, ...withTheirResource, ...whenDue, ...upToHeads];
  expect(others.filter((name) => !filled.includes(name))).toEqual([]);
  await endAll(database);
  // Some things are first given up, and removed when they have been so for long.
  for (let turn = 0; turn < 2; turn++) {
    await age(database);
    for (const rule of allRules()) while ((await rule.prune(database, 10)) >= 10);
  }
  const left = (await tablesWithRows(database)).filter((name) => !others.includes(name));
  expect(left).toEqual(["scope_key"]);
  // The installation's own, which is no organization's.
  expect(await database.query("select distinct organization from scope_key")).toEqual([{ organization: "" }]);
});

function allRules(): RetentionRule[] {
  const areas = openAreas();
  return [
    ...retentionRules(defaultRetention),
    scopeKeyRetention([...coreSealed, ...areas.flatMap((area) => area.sealed ?? [])]),
    dataKeyRetention(90),
    ...areas.flatMap((area) => area.retention ?? []),
  ];
}

/** Rows in every table, as the data of the migrations has them; the names of the tables. */
async function fill(database: Database): Promise<string[]> {
  const folders = [coreMigrations, ...areaMigrations()];
  const migrations = await readMigrations(folders);
  await migrate(database, migrations);
  for (const { room, name } of migrations) {
    const { path } = folders.find((one) => one.room === room) as (typeof folders)[number];
    await database.query(readFileSync(join(path, "data", name), "utf8"));
  }
  // Every transaction leaves its mark; a migration is none of those.
  await database.transact((sql) => sql.query("select 1"));
  const tables = await tableNames(database);
  const filled = await tablesWithRows(database);
  // Written by a server that starts.
  expect(tables.filter((name) => !filled.includes(name))).toEqual(["key_check"]);
  return tables;
}

async function tableNames(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
  );
  return rows.map(({ name }) => name);
}

async function tablesWithRows(database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tableNames(database))
    if ((await database.query(`select 1 from ${name} limit 1`)).length > 0) found.push(name);
  return found;
}

async function endAll(database: Database): Promise<void> {
  await database.query("delete from resource");
  for (const table of ["run", "step"])
    await database.query(`update ${table} set state = 'succeeded', ended_at = now() where ended_at is null`);
  await database.query("update notification set state = 'delivered', ended_at = now()");
  await database.query("update data_key set period = '2015-01'");
  // Only the data of a migration has the log of a run that never was.
  await database.query("delete from log_run l where not exists (select 1 from run r where r.id = l.run)");
}

/** Ten years pass. */
async function age(database: Database): Promise<void> {
  const columns = await database.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type = 'timestamp with time zone'`,
  );
  for (const { table, column } of columns)
    await database.query(`update ${table} set ${column} = ${column} - interval '10 years'`);
}
