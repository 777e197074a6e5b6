import { type Json, kindRegistry } from "@reeve/model";
import {
  corePlaces,
  type Database,
  deleteScopeKeys,
  keepJson,
  listAtRest,
  listKeys,
  noteWanted,
  opened,
  type Place,
  retireScopeKeys,
  type Sealer,
} from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAtRest } from "./at-rest.ts";
import { walkAtRest } from "./at-rest-walk.ts";
import { rotateSome } from "./rotation.ts";
import { testKeys } from "./testing.ts";

const anyJson = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));
const columns = [{ table: "data_key", key: "id", column: "sealed" }];
const places = corePlaces(kindRegistry([]));
const place = (table: string) => places.find((one) => one.table === table) as Place;

/** A database with organizations that seal. */
async function house(...sealing: string[]) {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  for (const name of sealing) await wants(database, name, true);
  const atRest = openAtRest(database, keys);
  await atRest.refresh();
  database.atRest = atRest;
  return { database, keys, atRest };
}

async function wants(database: Database, name: string, sealed: boolean): Promise<void> {
  await database.query(
    `insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, paused, created_at, updated_at, spec, status)
     values (gen_random_uuid(), 'Organization', '', $1, 1, 1, '{}', '{}', '[]', false, now(), now(), $2, '{}')
     on conflict (kind, scope, name) do update set spec = excluded.spec`,
    [name, { encryptAtRest: sealed }],
  );
}

test("a value opens as it was, in its own row and column only, and tells nothing before", async () => {
  const { database, atRest } = await house("acme", "globex");
  const key = fc.array(fc.oneof(fc.uuid(), fc.integer({ min: 0 })), { minLength: 1, maxLength: 3 });
  const sealer = fc.constantFrom(atRest.sealer("acme/shop"), atRest.sealer("globex"), undefined);
  const marked = anyJson.map((value): Json => ({ $sealed: value }));
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyJson, marked), key, sealer, fc.nat(), async (value, key, by, at) => {
      const kept = keepJson(by, place("run"), key, value);
      const read = async (stored: Json, where = place("run"), as: readonly unknown[] = key) =>
        (await opened(database, where, [{ stored }], "stored", () => as))[0]?.stored;
      expect(await read(kept)).toEqual(value);
      if (by === undefined || value === null) return;
      const { $sealed: text } = kept as { $sealed: string };
      expect(Object.keys(kept as object)).toEqual(["$sealed"]);
      await expect(read(kept, place("run"), [...key, 1])).rejects.toThrow("does not open");
      await expect(read(kept, place("step"))).rejects.toThrow("does not open");
      const bytes = Buffer.from(text.slice(text.indexOf(":") + 1), "base64");
      bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ 1;
      await expect(read({ $sealed: `${by.key}:${bytes.toString("base64")}` })).rejects.toThrow(
        "does not open",
      );
      const other = (
        by.key === atRest.sealer("acme")?.key ? atRest.sealer("globex") : atRest.sealer("acme")
      ) as Sealer;
      await expect(read({ $sealed: text.replace(by.key, other.key) })).rejects.toThrow("does not open");
      // A plain text long enough not to be there by chance.
      const plain = JSON.stringify(value);
      if (plain.length > 20) expect(bytes.includes(plain.slice(1, -1))).toBe(false);
    }),
    { numRuns: 200 },
  );
  expect(atRest.sealer("other")).toBeUndefined();
  expect(atRest.sealer("")).toBeUndefined();
});

test("a rotation renews what closes a data key, and nothing that it has sealed; an old key goes when nothing needs it", async () => {
  const { database, keys, atRest } = await house("acme");
  const kept = keepJson(atRest.sealer("acme"), place("run"), [1], { n: 1 });
  const [before] = (await listKeys(database, columns)).filter(({ level }) => level === "scope");
  expect(before).toMatchObject({ organization: "acme", holds: 1 });
  await retireScopeKeys(database, "acme");
  const given = { retiredMinutes: 0, limit: 1, id: before?.id as string };
  expect(await deleteScopeKeys(database, columns, given)).toBe(0);
  while ((await rotateSome(database, keys, columns)).renewed > 0);
  expect(await deleteScopeKeys(database, columns, given)).toBe(1);
  // Another replica, which has seen none of these keys.
  database.atRest = openAtRest(database, keys);
  const [row] = await opened(database, place("run"), [{ kept }], "kept", () => [1]);
  expect(row?.kept).toEqual({ n: 1 });
});

test("what was there before follows, though whoever sees to it is killed; all of it is readable all the time, and it goes back", async () => {
  const { database, keys } = await house();
  await database.query(
    `insert into change (revision, at, operation, uid, kind, scope, name, object)
     select n, now(), 'created', gen_random_uuid(), 'Thing', case when n % 3 = 0 then 'globex' else 'acme/shop' end, 'x', '{"n": ' || n || '}'
     from generate_series(1, 1800) as n`,
  );
  const read = async () => {
    const rows = await database.query<{ revision: number; object: string }>(
      "select revision, object from change order by revision",
    );
    const plain = await opened(database, place("change"), rows, "object", ({ revision }) => [revision]);
    expect(plain.map(({ object }) => JSON.parse(object).n)).toEqual(rows.map(({ revision }) => revision));
    return rows.filter(({ object }) => object.startsWith("$sealed:")).length;
  };
  /** One replica after another, each killed after it has looked at so many pages. */
  const walk = async (pages = 1000) => {
    const atRest = openAtRest(database, keys);
    await atRest.refresh();
    database.atRest = atRest;
    const pending = (await listAtRest(database)).filter(({ settledAt }) => settledAt === null);
    return walkAtRest(database, atRest, places, pending, () => pages-- > 0);
  };
  const settled = async () => (await listAtRest(database)).map(({ settledAt }) => settledAt !== null);
  /** Wanted so long ago; by the clock alone a slow machine would be late where it should be early. */
  const wantedAgo = (minutes: number) =>
    database.query("update at_rest set since = now() - $1 * interval '1 minute'", [minutes]);
  for (const sealed of [true, false]) {
    await wants(database, "acme", sealed);
    await noteWanted(database, sealed ? ["acme"] : []);
    await wantedAgo(-60);
    await walk(places.findIndex(({ table }) => table === "change"));
    expect(await read()).toBe(sealed ? 0 : 1200);
    await walk(1 + places.findIndex(({ table }) => table === "change"));
    const half = await read();
    expect([half > 0, half < 1200]).toEqual([true, true]);
    // A look that met something does not say that nothing is left, nor does one that began too soon.
    await walk();
    expect(await read()).toBe(sealed ? 1200 : 0);
    expect(await settled()).toEqual([false]);
    await walk();
    expect(await settled()).toEqual([false]);
    await wantedAgo(1);
    expect(await walk()).toEqual({ moved: 0, broken: [] });
    expect(await settled()).toEqual([true]);
    expect((await listAtRest(database))[0]?.moved).toBe(1200);
  }
});
