import { chainStart, linkHash } from "@reeve/model/audit";
import { type Database, linksAfter, listHeads, openLane } from "@reeve/store";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sealNext } from "./seal.ts";
import { record, type TestAudit, testAudit } from "./testing.ts";

async function sealedAudit(count = 8): Promise<TestAudit> {
  const audit = await testAudit();
  await audit.write(count, ["acme", "beta/shop"]);
  await audit.seal();
  return audit;
}

const revisions = async (database: Database, organization: string) =>
  (await linksAfter(database, organization, 0, 1000)).map((link) => link.revision);

test("each organization has a chain of its own, in commit order, signed at its end", async () => {
  const audit = await sealedAudit();
  const proofs = await audit.verify();
  expect(proofs.map(({ organization, records, findings }) => [organization, records, findings])).toEqual([
    ["acme", 8, []],
    ["beta", 8, []],
  ]);
  for (const { organization, upTo } of proofs) {
    const links = await linksAfter(audit.database, organization, 0, 100);
    expect(links.map((link) => link.previous)).toEqual(
      [chainStart, ...links.map((link) => link.hash)].slice(0, -1),
    );
    expect(await listHeads(audit.database, organization)).toMatchObject([
      { revision: upTo, hash: links.at(-1)?.hash },
    ]);
  }
});

test("chains are whole however many records wait to be sealed, and whoever comes in between", async () => {
  const audit = await testAudit();
  const many = (scope: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, turn) => record(audit.lane, scope, turn)));
  await many("acme", 150);
  await many("beta/shop", 3);
  await many("acme", 1950);
  expect(await sealNext(audit.database, audit.signer)).toBe(true);
  expect(await sealNext(audit.database, audit.signer)).toBe(false);
  expect(
    (await audit.verify()).map(({ organization, records, findings }) => [organization, records, findings]),
  ).toEqual([
    ["acme", 2100, []],
    ["beta", 3, []],
  ]);
});

test("a changed record is found at its revision, in whatever column", async () => {
  const audit = await sealedAudit();
  const [, , third] = await revisions(audit.database, "acme");
  const edits = [
    "subject = 'user:eve'",
    "at = at + interval '1 millisecond'",
    "detail = jsonb_set(detail, '{changes,0,after}', '7')",
    "uid = '01900000-0000-7000-8000-00000000000a'",
    "scope = 'acme/x'",
    "outcome = 'denied'",
  ];
  for (const edit of edits) {
    await audit.database.query(`create table kept_audit as select * from audit where revision = ${third}`);
    await audit.database.query(`update audit set ${edit} where revision = $1`, [third]);
    expect(await audit.findings(), edit).toEqual([`acme ${third} changed`]);
    await audit.database.query(`delete from audit where revision = ${third}`);
    await audit.database.query("insert into audit select * from kept_audit");
    await audit.database.query("drop table kept_audit");
  }
  expect(await audit.findings()).toEqual([]);
});

test("a record given to another organization is found in both", async () => {
  const audit = await sealedAudit();
  const [, second] = await revisions(audit.database, "acme");
  await audit.database.query("update audit set organization = 'beta' where revision = $1", [second]);
  expect(await audit.findings()).toEqual([`acme ${second} changed`, `beta ${second} added`]);
});

test("a removed record is found at its place, also when its link went with it", async () => {
  const audit = await sealedAudit();
  const [first, , third, , fifth] = await revisions(audit.database, "acme");
  await audit.database.query("delete from audit where revision = $1", [third]);
  expect(await audit.findings()).toEqual([`acme ${third} removed`]);
  await audit.database.query("delete from audit_chain where revision = $1", [third]);
  const [finding] = (await audit.verify()).flatMap((proof) => proof.findings);
  expect(finding?.why).toMatch(/^records after revision \d+ and before this one were removed$/);
  await audit.database.query("delete from audit where revision in ($1, $2)", [first, fifth]);
  expect(await audit.findings()).toHaveLength(3);
});

test("a tail that was cut off is found by the head that was signed for it", async () => {
  const audit = await sealedAudit();
  const all = await revisions(audit.database, "beta");
  const [seventh, last] = all.slice(-2);
  for (const table of ["audit", "audit_chain"])
    await audit.database.query(`delete from ${table} where revision = $1`, [last]);
  const findings = (await audit.verify()).flatMap((proof) => proof.findings);
  expect(findings).toMatchObject([{ organization: "beta", what: "removed", revision: last }]);
  expect(findings[0]?.why).toContain(`after revision ${seventh}`);
});

/** What somebody can do who writes to the database and knows how hashes are made, but has no key. */
async function rewriteFrom(database: Database, organization: string, from: number): Promise<string> {
  await database.query("update audit set subject = 'user:eve' where revision = $1", [from]);
  const links = await linksAfter(database, organization, 0, 1000);
  let previous = links.findLast((link) => link.revision < from)?.hash ?? chainStart;
  for (const { revision, record } of links.filter((link) => link.revision >= from)) {
    if (record === undefined) throw new Error("nothing to rewrite");
    const hash = linkHash(previous, record);
    await database.query(
      "update audit_chain set previous = decode($1, 'hex'), hash = decode($2, 'hex') where revision = $3",
      [previous, hash, revision],
    );
    previous = hash;
  }
  return previous;
}

test("a tail rewritten with all its hashes is found by its head, and so is a head made to fit it", async () => {
  const audit = await sealedAudit();
  await audit.database.query("update audit_head set published_at = now()");
  const before = (await revisions(audit.database, "acme")).at(-1);
  await audit.write(3);
  await audit.seal();
  const [ninth, , last] = (await revisions(audit.database, "acme")).slice(-3) as [number, number, number];
  const hash = await rewriteFrom(audit.database, "acme", ninth);
  const [finding] = (await audit.verify()).flatMap((proof) => proof.findings);
  expect(finding).toMatchObject({ organization: "acme", what: "rewritten", revision: last });
  expect(finding?.why).toContain(`after revision ${before},`);
  await audit.database.query("update audit_head set hash = decode($1, 'hex') where revision = $2", [
    hash,
    last,
  ]);
  expect(await audit.findings()).toEqual([`acme ${last} forged`]);
  await audit.database.query("delete from audit_head where revision = $1", [last]);
  expect(await audit.findings()).toEqual([`acme ${last} forged`]);
});

const text = fc.string({ unit: fc.constantFrom("a", "b", "/", ":", "é"), minLength: 1, maxLength: 8 });
const bytes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((made) => `\\x${Buffer.from(made).toString("hex")}`);
const columns: Record<string, fc.Arbitrary<unknown>> = {
  "audit.at": fc.integer({ min: 0, max: 2e9 }).map((seconds) => new Date(seconds * 1000).toISOString()),
  "audit.revision": fc.integer({ min: 1, max: 14 }),
  ...Object.fromEntries(
    [
      "organization",
      "subject",
      "via",
      "address",
      "request_id",
      "operation",
      "kind",
      "scope",
      "name",
      "reason",
    ].map((column) => [`audit.${column}`, text]),
  ),
  "audit.outcome": fc.constant("denied"),
  "audit.uid": fc.uuid(),
  "audit.detail": fc
    .dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()))
    .map((made) => JSON.stringify(made)),
  "audit_chain.organization": text,
  "audit_chain.revision": fc.integer({ min: 1, max: 14 }),
  "audit_chain.previous": bytes,
  "audit_chain.hash": bytes,
  "audit_head.organization": text,
  "audit_head.revision": fc.integer({ min: 1, max: 14 }),
  "audit_head.at": fc.integer({ min: 0, max: 2e9 }).map((seconds) => new Date(seconds * 1000).toISOString()),
  "audit_head.hash": bytes,
  "audit_head.checkpoint": fc.constant(true),
  "audit_head.key": text,
  "audit_head.signature": text,
};
const update = fc
  .constantFrom(...Object.keys(columns))
  .chain((column) =>
    fc.record({ column: fc.constant(column), value: columns[column] as fc.Arbitrary<unknown> }),
  )
  .map(({ column, value }) => {
    const [table, name] = column.split(".");
    return { table: table as string, text: `update ${table} set ${name} = $2 where revision = $1`, value };
  });
const removal = fc
  .constantFrom("audit", "audit_chain", "audit_head")
  .map((table) => ({ table, text: `delete from ${table} where revision = $1`, value: undefined }));
const tables = ["audit", "audit_chain", "audit_head"];

test("whatever single row is changed or removed, it is found", async () => {
  const audit = await testAudit();
  await audit.write(6, ["acme", "beta"]);
  await audit.seal();
  const { database } = audit;
  for (const table of tables) await database.query(`create table kept_${table} as select * from ${table}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(update, removal), fc.nat(), async ({ table, text, value }, pick) => {
      const rows = await database.query<{ revision: number }>(`select revision from ${table} order by 1`);
      const { revision } = rows[pick % rows.length] as { revision: number };
      const values = value === undefined ? [revision] : [revision, value];
      const before = await database.query(`select * from ${table} order by revision`);
      // Two rows cannot stand at one revision: the table itself refuses.
      const refused = await database.query(text, values).then(
        () => false,
        () => true,
      );
      const after = await database.query(`select * from ${table} order by revision`);
      const same = JSON.stringify(before) === JSON.stringify(after);
      const found = await audit.findings();
      for (const name of tables) {
        await database.query(`delete from ${name}`);
        await database.query(`insert into ${name} select * from kept_${name}`);
      }
      expect(found.length > 0, `${text} ${JSON.stringify(values)}`).toBe(!refused && !same);
    }),
    { numRuns: 100 },
  );
  expect(await audit.findings()).toEqual([]);
});

test("several who write and several who seal at once leave one chain with every record once", async () => {
  const audit = await testAudit();
  const { database, signer } = audit;
  const others = [1, 2].map(() => openLane({ database, registry: audit.registry, reconciled: new Set() }));
  let writing = true;
  const writers = Promise.all(
    [audit.lane, ...others].map(async (lane) => {
      for (let turn = 0; turn < 150; turn++) await record(lane, turn % 3 === 0 ? "beta" : "acme", turn);
    }),
  ).finally(() => {
    writing = false;
  });
  const sealers = [1, 2].map(async () => {
    while (writing) await sealNext(database, signer);
  });
  await Promise.all([writers, ...sealers]);
  await audit.seal();
  const proofs = await audit.verify();
  expect(proofs.map(({ records, findings }) => [records, findings])).toEqual([
    [300, []],
    [150, []],
  ]);
});
