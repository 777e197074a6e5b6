import { listHeads, markPublished, unpublishedHeads } from "@reeve/store";
import { expect, test } from "vitest";
import { auditRetention } from "./prune.ts";
import { type TestAudit, testAudit } from "./testing.ts";

const days = 400;

function prune({ database, signer }: TestAudit): Promise<number> {
  return auditRetention(database, async () => signer, days).prune(database, 1000);
}

/** Records that were sealed and published so long ago; the chain is made of the old times. */
async function aged(audit: TestAudit, count: number, ago: string, scopes: string[]): Promise<void> {
  const [{ revision } = { revision: 0 }] = await audit.database.query<{ revision: number }>(
    "select coalesce(max(revision), 0) as revision from audit",
  );
  await audit.write(count, scopes);
  await audit.database.query(
    `update audit set at = date_trunc('second', now() - $1::interval) where revision > $2`,
    [ago, revision],
  );
  await audit.seal();
  await markPublished(audit.database, await unpublishedHeads(audit.database));
}

test("records go when their time is over, and what stays is provable from a signed checkpoint on", async () => {
  const audit = await testAudit();
  await aged(audit, 5, "500 days", ["acme", "beta"]);
  await aged(audit, 3, "401 days", ["acme"]);
  await aged(audit, 4, "10 days", ["acme", "beta"]);
  expect(await prune(audit)).toBe(1000);
  expect(await prune(audit)).toBe(0);
  const proofs = await audit.verify();
  expect(proofs.map(({ records, findings }) => [records, findings])).toEqual([
    [4, []],
    [4, []],
  ]);
  const heads = await listHeads(audit.database, "acme");
  expect(heads.map((head) => [head.checkpoint, head.publishedAt === null])).toEqual([
    [true, true],
    [false, false],
  ]);
  await audit.write(2, ["acme", "beta"]);
  await audit.seal();
  expect((await audit.verify()).map(({ records, findings }) => [records, findings])).toEqual([
    [6, []],
    [6, []],
  ]);
});

test("whoever removes records without Reeve's key is found, also from the beginning", async () => {
  const audit = await testAudit();
  await aged(audit, 3, "500 days", ["acme"]);
  await aged(audit, 3, "10 days", ["acme"]);
  await prune(audit);
  const [first] = await audit.database.query<{ revision: number }>(
    "select revision from audit order by 1 limit 1",
  );
  for (const table of ["audit", "audit_chain"])
    await audit.database.query(`delete from ${table} where revision = $1`, [first?.revision]);
  expect(await audit.findings()).toEqual([`acme ${(first?.revision ?? 0) + 1} removed`]);
  // A genuine head is no checkpoint, whatever the row says.
  await audit.database.query(
    "delete from audit; delete from audit_chain; delete from audit_head where checkpoint",
  );
  await audit.database.query("update audit_head set checkpoint = true");
  expect(await audit.findings()).toEqual(["acme 6 forged"]);
});

test("an organization that is silent keeps its checkpoint; one that is gone leaves nothing in the end", async () => {
  const audit = await testAudit();
  await aged(audit, 2, "500 days", ["acme", "never-was", ""]);
  await audit.database.query(
    `insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, paused, created_at, updated_at, spec, status)
     values (gen_random_uuid(), 'Organization', '', 'acme', 1, 1, '{}', '{}', '[]', false, now(), now(), '{}', '{}')`,
  );
  await prune(audit);
  await prune(audit);
  expect(
    (await audit.verify()).map(({ organization, records, findings }) => [organization, records, findings]),
  ).toEqual([
    ["", 0, []],
    ["acme", 0, []],
  ]);
  await audit.write(1, ["acme", "never-was"]);
  await audit.seal();
  expect(await audit.findings()).toEqual([]);
});

test("records whose head nobody has got yet are kept", async () => {
  const audit = await testAudit();
  await audit.write(3);
  await audit.database.query("update audit set at = now() - interval '500 days'");
  await audit.seal();
  expect(await prune(audit)).toBe(0);
  expect((await audit.verify()).map((proof) => proof.records)).toEqual([3]);
});
