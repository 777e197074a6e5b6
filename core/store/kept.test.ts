import { newUid } from "@reeve/model";
import { expect, test } from "vitest";
import { keepOn, readKept } from "./kept.ts";
import { testDatabase } from "./testing.ts";

test("whoever keeps on does not wait for who writes what was seen: each may have what the other needs next", async () => {
  const { database } = await testDatabase();
  const [resource, agent, another] = [newUid(), newUid(), newUid()];
  await keepOn(database, resource, [agent]);
  await database.transact(async (sighting) => {
    await sighting.query("update kept set seen = '{}' where resource_uid = $1::uuid", [resource]);
    await database.transact((sql) => keepOn(sql, resource, [agent, another]));
  });
  const kept = await readKept(database, resource);
  expect(new Map(kept.map((one) => [one.agent, one.seen]))).toEqual(
    new Map([
      [agent, {}],
      [another, null],
    ]),
  );
});
