import { expect, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { dumpSchema } from "./dump-schema.ts";

test("a table is written out so that making it from the text gives the same text again", async () => {
  const { database } = await testDatabase({ template: "template0" });
  await database.query(`create table pot (
    id int primary key, "order" text not null default 'x', litres numeric(6,2), lid uuid,
    constraint pot_litres check (litres > 0), constraint pot_order unique ("order", lid))`);
  await database.query("create index pot_lid on pot (lid) where lid is not null");
  await database.query(
    "create table lid (id uuid primary key, pot int references pot (id) on delete cascade)",
  );
  await database.query("alter table pot drop column lid cascade");
  const text = await dumpSchema(database);
  expect(text).toBe(`create table lid (
  id uuid not null,
  pot integer,
  constraint lid_pkey PRIMARY KEY (id),
  constraint lid_pot_fkey FOREIGN KEY (pot) REFERENCES pot(id) ON DELETE CASCADE
);

create table pot (
  id integer not null,
  "order" text not null default 'x'::text,
  litres numeric(6,2),
  constraint pot_pkey PRIMARY KEY (id),
  constraint pot_litres CHECK ((litres > (0)::numeric))
);
`);
  const other = (await testDatabase({ template: "template0" })).database;
  for (const statement of text.split(";\n").filter(Boolean).reverse()) await other.query(statement);
  expect(await dumpSchema(other)).toBe(text);
});

test("what it cannot write out it refuses by name", async () => {
  const { database } = await testDatabase({ template: "template0" });
  await database.query("create table pot (id int generated always as identity)");
  await expect(dumpSchema(database)).rejects.toThrow(/relation pot_id_seq.*column id.*teach it to/);
  await database.query("drop table pot");
  await database.query("create view one as select 1 as one");
  await expect(dumpSchema(database)).rejects.toThrow("relation one");
});
