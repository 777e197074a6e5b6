import { newUid } from "@reeve/model";
import { expect, test } from "vitest";
import { dueLooks, endLook, readLook } from "./looks.ts";
import { testDatabase } from "./testing.ts";

/** Something that is due in bucket 1. */
async function opened() {
  const { database } = await testDatabase();
  const uid = newUid();
  await database.query(
    "insert into look (uid, kind, bucket, due_at) values ($1, 'Thing', 1, now() - interval '1 second')",
    [uid],
  );
  const due = async () => (await dueLooks(database, { buckets: [1], kinds: ["Thing"] }, 10))[0];
  const end = async (one: Awaited<ReturnType<typeof due>>, againInMs?: number) => {
    if (one === undefined) throw new Error("nothing is due");
    await endLook(database, one, "r", { outcome: "done", why: "", againInMs });
  };
  return { database, uid, due, end, next: async () => (await readLook(database, uid))?.nextAt };
}

test("of two looks at once, as when a bucket changes hands, the one that wants another one has it, whichever ends first", async () => {
  for (const [first, second] of [
    [undefined, 3_600_000],
    [3_600_000, undefined],
  ]) {
    const { due, end, next } = await opened();
    const seen = await due();
    await end(seen, first);
    await end(seen, second);
    expect(await next()).not.toBeNull();
  }
});

test("what was changed while it was looked at stays due, whatever the look wants", async () => {
  const { database, uid, due, end } = await opened();
  const seen = await due();
  await database.query("update look set due_at = clock_timestamp() where uid = $1", [uid]);
  await end(seen, 3_600_000);
  expect(await due()).toMatchObject({ uid });
  await end(seen);
  expect(await due()).toMatchObject({ uid });
});

test("what this replica does not know, as during an upgrade, is left to those that do", async () => {
  const { database, due } = await opened();
  expect(await due()).toMatchObject({ kind: "Thing" });
  expect(await dueLooks(database, { buckets: [1], kinds: ["Other"] }, 10)).toEqual([]);
});
