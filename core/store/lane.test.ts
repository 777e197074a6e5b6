import { Fault } from "@reeve/model";
import { expect, test } from "vitest";
import { changesAfter } from "./changes.ts";
import { openDatabase } from "./database.ts";
import { type Lane, openLane } from "./lane.ts";
import type { Mutation, View } from "./mutation.ts";
import { readResource } from "./resources.ts";
import type { Sql } from "./sql.ts";
import { testDatabase } from "./testing.ts";
import { author, setSize, thingAt, thingRegistry } from "./testing-kinds.ts";

function lanesOn(url: string, count: number): { lanes: Lane[]; close(): Promise<unknown> } {
  const databases = [...Array(count)].map(() => openDatabase({ url, connections: 4 }));
  const lanes = databases.map((database) =>
    openLane({ database, registry: thingRegistry, reconciled: new Set() }),
  );
  return { lanes, close: () => Promise.all(databases.map((database) => database.close())) };
}

test("mutations that wait together commit together, each with its own verdict", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  const refused = {
    author,
    needs: [],
    decide: () => {
      throw new Fault("conflict", "not this one");
    },
  };
  const results = await Promise.allSettled([
    lane.submit(setSize("a", 1)),
    lane.submit(refused),
    lane.submit(setSize("b", 2)),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(lane.figures.batches).toBe(1);
  expect((await readResource(database, thingAt("b")))?.spec).toEqual({ size: 2 });
});

test("a statement that fails takes only its own mutation with it", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  const broken = {
    ...setSize("bad", 1),
    decide: (view: Parameters<ReturnType<typeof setSize>["decide"]>[0]) => ({
      ...setSize("bad", 1).decide(view),
      also: async (sql: { query(text: string): Promise<unknown> }) => {
        await sql.query("select 1 / 0");
      },
    }),
  };
  const results = await Promise.allSettled([
    lane.submit(setSize("a", 1)),
    lane.submit(broken),
    lane.submit(setSize("b", 1)),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await readResource(database, thingAt("bad"))).toBeUndefined();
});

test("a mutation sees what the one before it in the same batch wrote", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  await Promise.all([
    lane.submit(setSize("a", 1)),
    lane.submit(setSize("a", 2)),
    lane.submit(setSize("a", 3)),
  ]);
  const stored = await readResource(database, thingAt("a"));
  expect(stored?.metadata.generation).toBe(3);
  expect((await changesAfter(database, 0, 10)).map((change) => [change.revision, change.operation])).toEqual([
    [1, "created"],
    [2, "updated"],
    [3, "updated"],
  ]);
  expect((await database.query("select generation from generation order by generation")).length).toBe(3);
});

test("created and deleted in one batch leaves both changes and no row", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  const gone = {
    author,
    needs: [thingAt("a")],
    decide: (view: Parameters<ReturnType<typeof setSize>["decide"]>[0]) => ({
      writes: [{ operation: "delete" as const, resource: view.get(thingAt("a"))! }],
      audit: [],
    }),
  };
  await Promise.all([lane.submit(setSize("a", 1)), lane.submit(gone)]);
  expect(await readResource(database, thingAt("a"))).toBeUndefined();
  expect((await changesAfter(database, 0, 10)).map((change) => change.operation)).toEqual([
    "created",
    "deleted",
  ]);
});

test("the same key is carried out once, also when it arrives twice at once on two replicas", async () => {
  const { url, database } = await testDatabase();
  const { lanes, close } = lanesOn(url, 2);
  const results = await Promise.all(
    [...Array(10)].map((_, index) => (lanes[index % 2] as Lane).submit(setSize("a", 7, "k1"))),
  );
  expect(results.filter((result) => !result.repeated).length).toBe(1);
  expect(new Set(results.map((result) => result.resource?.metadata.revision)).size).toBe(1);
  expect((await changesAfter(database, 0, 10)).length).toBe(1);
  await expect((lanes[0] as Lane).submit(setSize("a", 8, "k1"))).rejects.toThrow("different request");
  await close();
});

test("three replicas writing the same names lose nothing, and revisions are the order of commits", async () => {
  const { url, database } = await testDatabase();
  const { lanes, close } = lanesOn(url, 3);
  const names = ["a", "b", "c", "d", "e"];
  await Promise.all(
    [...Array(300)].map((_, index) =>
      (lanes[index % 3] as Lane).submit(setSize(names[index % 5] as string, index)),
    ),
  );
  const changes = await changesAfter(database, 0, 1000);
  expect(changes.length).toBe(300);
  expect(changes.map((change) => change.revision)).toEqual([...Array(300)].map((_, index) => index + 1));
  for (const name of names) {
    const own = changes.filter((change) => change.name === name);
    expect(own.map((change) => JSON.parse(change.object).metadata.generation)).toEqual(
      [...Array(60)].map((_, index) => index + 1),
    );
    expect((await readResource(database, thingAt(name)))?.metadata.generation).toBe(60);
  }
  await close();
});

const sizeIn = (view: View) => (view.get(thingAt("a"))?.spec as { size: number } | undefined)?.size ?? 0;

/** One more than it finds. */
function grow(): Mutation {
  return {
    ...setSize("a", 0),
    decide: (view) => setSize("a", sizeIn(view) + 1).decide(view),
  };
}

test("replicas that write the same thing at once each see what the others wrote", async () => {
  const { url, database } = await testDatabase();
  const { lanes, close } = lanesOn(url, 3);
  await Promise.all([...Array(150)].map((_, index) => (lanes[index % 3] as Lane).submit(grow())));
  expect((await readResource(database, thingAt("a")))?.spec).toEqual({ size: 150 });
  await close();
});

test("a mutation with rows of its own is written together with them, whichever replica it comes to", async () => {
  const { url, database } = await testDatabase();
  const { lanes, close } = lanesOn(url, 2);
  await database.query("create table tally (n int)");
  const tallied = {
    ...grow(),
    decide(view: View) {
      const size = sizeIn(view) + 1;
      const also = async (sql: Sql) => void (await sql.query("insert into tally values ($1)", [size]));
      return { ...grow().decide(view), also };
    },
  };
  for (const at of [0, 0, 0, 1, 1, 1, 0]) await (lanes[at] as Lane).submit(tallied);
  expect(await database.query("select n from tally order by n")).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((n) => ({ n })),
  );
  await close();
});
