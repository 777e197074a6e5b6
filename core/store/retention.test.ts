import { expect, test } from "vitest";
import { readCounter } from "./changes.ts";
import { openLane } from "./lane.ts";
import { defaultRetention, retentionRules } from "./retention.ts";
import { testDatabase } from "./testing.ts";
import { setSize, thingRegistry } from "./testing-kinds.ts";

async function prune(
  name: string,
  database: Parameters<ReturnType<typeof retentionRules>[number]["prune"]>[0],
  keep = defaultRetention,
): Promise<number> {
  const rule = retentionRules(keep).find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule.prune(database, 1000);
}

test("changes go from the oldest on, and the counter remembers up to where", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  for (let size = 0; size < 5; size++) await lane.submit(setSize("a", size));
  await database.query("update change set at = now() - interval '3 days' where revision <= 3");
  expect(await prune("changes", database)).toBe(3);
  expect(await readCounter(database)).toEqual({ revision: 5, compacted: 3 });
  expect(await prune("changes", database)).toBe(0);
  expect(await readCounter(database)).toEqual({ revision: 5, compacted: 3 });
});

test("of a living resource the newest generations stay, of a deleted one none after its time", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  for (let size = 0; size < 6; size++) await lane.submit(setSize("a", size));
  expect(await prune("generations", database, { ...defaultRetention, generations: 2 })).toBe(4);
  expect(await database.query("select generation from generation order by generation")).toEqual([
    { generation: 5 },
    { generation: 6 },
  ]);
  await database.query("update generation set at = now() - interval '100 days'");
  expect(await prune("history of deleted resources", database)).toBe(0);
  await database.query("delete from resource");
  expect(await prune("history of deleted resources", database)).toBe(2);
});

test("the history of many that were deleted goes from turn to turn, and what comes later too", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  await lane.submit(setSize("a", 1));
  const rule = retentionRules(defaultRetention).find(({ name }) => name === "history of deleted resources");
  const add = () =>
    database.query(
      `insert into generation select (jsonb_populate_record(g, jsonb_build_object('uid', gen_random_uuid(),
         'at', now() - interval '100 days'))).* from generation g join resource r on r.uid = g.uid, generate_series(1, 1100)`,
    );
  const left = async () => (await database.query("select 1 from generation")).length;
  for (const _ of ["at first", "and again"]) {
    await add();
    for (let turns = 0; turns < 14; turns++) await rule?.prune(database, 300);
    expect(await left()).toBe(1);
  }
});

test("changes stay as long as the answers that point to them, whatever the setting says", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  await lane.submit(setSize("a", 1, "key"));
  await database.query("update change set at = now() - interval '23 hours'");
  expect(await prune("changes", database, { ...defaultRetention, changesDays: 0.01 })).toBe(0);
});

test("of what terminals of an organization have shown the oldest goes, when it is too much together; never what goes on", async () => {
  const { database } = await testDatabase();
  const keep = { ...defaultRetention, recordingsBytes: 250 };
  const add = (scope: string, host: string, minutesAgo: number, isOpen = false) =>
    database.query(
      `insert into terminal_recording (id, scope, kind, name, verb, host, subject, detail, bytes, at, ended_at)
       values (gen_random_uuid(), $1, 'Host', $2, 'shell', $2, 'user:ada', '{}', 100,
         now() - $3 * interval '1 minute', case when not $4 then now() end)`,
      [scope, host, minutesAgo, isOpen],
    );
  for (const scope of ["acme", "acme/shop", "globex"])
    for (const days of [4, 3, 2]) await add(scope, `${scope} ${days}`, days * 1440);
  await add("acme", "acme 5, still open", 5 * 1440, true);
  // Nobody has opened a terminal just now: nothing has become more.
  expect(await prune("recordings of organizations with many", database, keep)).toBe(0);
  await add("acme/shop", "acme/shop now", 0);
  expect(await prune("recordings of organizations with many", database, keep)).toBe(5);
  const left = await database.query<{ host: string }>("select host from terminal_recording order by at");
  expect(left.map(({ host }) => host)).toEqual([
    "acme 5, still open",
    ...["globex 4", "globex 3"],
    ...["acme/shop 2", "globex 2"],
    "acme/shop now",
  ]);
  expect(await prune("recordings of organizations with many", database, keep)).toBe(0);
});
