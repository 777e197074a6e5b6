import { readFileSync } from "node:fs";
import { join } from "node:path";
import { coreMigrations, coreSealed, migrate, readMigrations } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { openAreas } from "./areas.ts";

/** A sealed value that rotations do not know of is lost with its key: this finds such columns by the migrations' own data. */
test("every column that holds sealed values is known to rotations", async () => {
  const { database } = await testDatabase({ template: "template1" });
  const areas = openAreas();
  const folders = [coreMigrations, ...areas.flatMap((area) => area.migrations ?? [])];
  const migrations = await readMigrations(folders);
  await migrate(database, migrations);
  for (const { room, name } of migrations) {
    const path = folders.find((folder) => folder.room === room)?.path ?? "";
    await database.query(readFileSync(join(path, "data", name), "utf8"));
  }
  const columns = await database.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
     where c.table_schema = 'public' and c.data_type = 'jsonb'`,
  );
  const holding: string[] = [];
  for (const { table, column } of columns) {
    const found = await database.query(
      `select 1 from ${table} where ${column} ?& '{key,wrapped,nonce,data}' limit 1`,
    );
    if (found.length > 0) holding.push(`${table}.${column}`);
  }
  const known = [...coreSealed, ...areas.flatMap((area) => area.sealed ?? [])];
  expect(holding.sort()).toEqual(known.map(({ table, column }) => `${table}.${column}`).sort());
});
