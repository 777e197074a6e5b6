import { type Amounts, sumOf } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "./database.ts";
import { type Lane, openLane } from "./lane.ts";
import type { Mutation, Write } from "./mutation.ts";
import { countUse, endAudit, readQuotas } from "./quotas.ts";
import { newResource } from "./resource-row.ts";
import { readResource } from "./resources.ts";
import { testDatabase } from "./testing.ts";
import { author, thingAt, thingRegistry } from "./testing-kinds.ts";

const registry = thingRegistry;
const limitAt = { kind: "Limit", scope: "", name: "plan" };

/** Makes the thing or sets its size; without a size, deletes it. */
function set(name: string, size: number | undefined): Mutation {
  const at = thingAt(name);
  return {
    author,
    needs: [at],
    decide(view) {
      const before = view.get(at);
      const write: Write | undefined =
        size === undefined
          ? before && { operation: "delete", resource: before }
          : before === undefined
            ? { operation: "create", resource: newResource(at, { size }) }
            : { operation: "update", resource: { ...before, spec: { size } } };
      if (write === undefined) return { writes: [], audit: [] };
      return { writes: [write], audit: [{ ...at, operation: "set", outcome: "done" }] };
    },
  };
}

function limit(limits: Amounts): Mutation {
  return {
    author,
    needs: [limitAt],
    decide(view) {
      const before = view.get(limitAt);
      const write: Write =
        before === undefined
          ? { operation: "create", resource: newResource(limitAt, { limits: { ...limits } }) }
          : { operation: "update", resource: { ...before, spec: { limits: { ...limits } } } };
      return { writes: [write], audit: [] };
    },
  };
}

async function used(database: Database): Promise<Amounts> {
  const [quota] = await readQuotas(database, registry, [""]);
  return sumOf({ things: 0, resources: 0, storageBytes: 0 }, quota?.used ?? {});
}

const open = (database: Database): Lane => openLane({ database, registry, reconciled: new Set() });

test("what a quota does not allow is refused, recorded as denied, and leaves nothing behind", async () => {
  const { database } = await testDatabase();
  const lane = open(database);
  await lane.submit(set("before", 1));
  const results = await Promise.allSettled([
    lane.submit(limit({ things: 2 })),
    lane.submit(set("a", 1)),
    lane.submit(set("b", 1)),
  ]);
  // Sent together with its quota, and held to it.
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(results[2]).toMatchObject({
    reason: { kind: "forbidden", message: expect.stringContaining("things") },
  });
  expect(await readResource(database, thingAt("b"))).toBeUndefined();
  const denied = await database.query("select name, detail from audit where outcome = 'denied'");
  expect(denied).toEqual([{ name: "b", detail: { why: expect.stringContaining("does not allow") } }]);
  await lane.submit(set("before", undefined));
  await lane.submit(set("b", 1));
  expect(await used(database)).toMatchObject({ things: 2, resources: 2 });
});

test("a limit lowered below what is used stops growth, and nothing else", async () => {
  const { database } = await testDatabase();
  const lane = open(database);
  await lane.submit(set("a", 1000));
  await lane.submit(limit({ storageBytes: 1 }));
  await expect(lane.submit(set("a", 10_000))).rejects.toMatchObject({ kind: "forbidden" });
  await lane.submit(set("a", 10));
  await lane.submit(set("a", undefined));
  expect(await used(database)).toMatchObject({ things: 0, storageBytes: 0 });
});

test("without a quota nothing is read or kept for one", async () => {
  const { database } = await testDatabase();
  const texts: string[] = [];
  const watched: Database = {
    ...database,
    transact: (body) =>
      database.transact((sql) =>
        body({
          last: (text, values) => {
            texts.push(text);
            sql.last(text, values);
          },
          query: (text, values) => {
            texts.push(text);
            return sql.query(text, values);
          },
        }),
      ),
  };
  await open(watched).submit(set("a", 1));
  expect(texts.length).toBe(3);
  expect(texts.join()).not.toContain("quota_use");
});

test("a count that was forgotten is made anew from the resources", async () => {
  const { database } = await testDatabase();
  const lane = open(database);
  await lane.submit(limit({ things: 3 }));
  for (const name of ["a", "b"]) await lane.submit(set(name, 1));
  const [quota] = await readQuotas(database, registry, [""]);
  await database.query("update quota_use set used = '{}'");
  await endAudit(database, quota?.uid ?? "", false);
  await lane.submit(set("c", 1));
  await expect(lane.submit(set("d", 1))).rejects.toMatchObject({ kind: "forbidden" });
  expect(await used(database)).toEqual(await countUse(database, registry, ""));
});

test("the use of a quota goes with the quota", async () => {
  const { database } = await testDatabase();
  const lane = open(database);
  await lane.submit(limit({ things: 1 }));
  await lane.submit(set("a", 1));
  await lane.submit({
    author,
    needs: [limitAt],
    decide: (view) => ({
      writes: [{ operation: "delete", resource: view.get(limitAt) as never }],
      audit: [],
    }),
  });
  expect(await database.query("select * from quota_use")).toEqual([]);
  expect(await database.query("select quotas from revision")).toEqual([{ quotas: 0 }]);
  await lane.submit(set("b", 1));
});

test("whatever two lanes create, change and delete at once, no limit is exceeded and no use is lost", async () => {
  const { database, url } = await testDatabase();
  const other = openDatabase({ url, connections: 4 });
  const lanes = [open(database), open(other)] as const;
  const limits = { things: 5, storageBytes: 85 };
  await lanes[0].submit(limit(limits));
  const step = fc.record({
    lane: fc.constantFrom(0, 1),
    name: fc.constantFrom(..."abcdefgh"),
    size: fc.option(fc.constantFrom(1, 100, 1_000_000), { nil: undefined }),
  });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        await Promise.allSettled(
          steps.map(({ lane, name, size }) => (lanes[lane as 0 | 1] as Lane).submit(set(name, size))),
        );
        const now = await used(database);
        const truth = await countUse(database, registry, "");
        expect(now).toEqual(sumOf({ things: 0 }, truth));
        expect(truth.things ?? 0).toBeLessThanOrEqual(limits.things);
        expect(truth.storageBytes).toBeLessThanOrEqual(limits.storageBytes);
      }),
      { numRuns: 40 },
    );
  } finally {
    await other.close();
  }
});
