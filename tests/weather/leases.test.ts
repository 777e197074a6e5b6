import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { type Replica, startReplica } from "../harness/replicas.ts";
import { until, untilNothing } from "../harness/until.ts";

/**
 * Who reconciles what. Leases are for 10 s, renewed every 2 s; a bucket waits 5 s for its last holder. Times below are
 * these, and some seconds for a busy machine.
 */
const handOverMs = 10_000 + 5000 + 8000;
const bench = openBench(afterAll);
let postgres: PrivatePostgres;
let a: Replica;
let b: Replica;
let api: Api;

beforeAll(async () => {
  postgres = await startPostgres(bench);
  a = await startReplica(bench, "a", postgres.url());
  api = await setUp(a.url, a.server.setupLink);
  b = await startReplica(bench, "b", postgres.url());
});

async function held(by: Replica): Promise<number[]> {
  const rows = await postgres.query<{ bucket: number }>(
    `select b.bucket from bucket b join replica r on r.name = b.holder and r.session = b.session
     where b.holder = $1 and b.until > now() order by b.bucket`,
    [by.name],
  );
  return rows.map((row) => row.bucket);
}

const share = (replica: Replica, count: number, withinMs = handOverMs) =>
  until(
    `${replica.name} to hold ${count} buckets`,
    async () => (await held(replica)).length === count,
    withinMs,
  );

async function makeToken(name: string, expiresAt?: Date): Promise<string> {
  const subject = { kind: "User", name: "ada" };
  const spec = { subject, ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }) };
  const body = { apiVersion: "reeve/v1", kind: "Token", metadata: { name }, spec };
  const answer = await api.call("PUT", `/api/v1/tokens/${name}`, { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.metadata.uid;
}

/** How often each of these was deleted, by the audit. */
async function deletions(uids: readonly string[]): Promise<{ uid: string; count: number }[]> {
  return postgres.query(
    `select u.uid, count(a.uid)::int as count from unnest($1::uuid[]) as u (uid)
     left join audit a on a.uid = u.uid and a.operation = 'delete' and a.outcome = 'done' group by u.uid`,
    [uids],
  );
}

const tokensLeft = (uids: readonly string[]) =>
  postgres.query<{ name: string }>("select name from resource where uid = any($1::uuid[])", [uids]);

describe("buckets", () => {
  test("two replicas share them, each bucket with one holder", async () => {
    await Promise.all([share(a, 32), share(b, 32)]);
  });

  test("after a restart a replica gets back what it had, also after kill -9", async () => {
    for (const end of [() => b.stop(), () => b.crash()]) {
      const before = await held(b);
      await end();
      await b.start();
      await share(b, 32);
      expect(await held(b)).toEqual(before);
      expect(await held(a)).toHaveLength(32);
    }
  });

  test("a killed replica's buckets are handed over, and shared again when it returns", async () => {
    await b.crash();
    await share(a, 64);
    await b.start();
    await Promise.all([share(a, 32), share(b, 32)]);
  });
});

test("tokens that expire together under two replicas are removed once each", async () => {
  const expiresAt = new Date(Date.now() + 8000);
  const names = Array.from({ length: 120 }, (_, at) => `together-${at}`);
  const uids = await Promise.all(names.map((name) => makeToken(name, expiresAt)));
  expect(Date.now(), "they were made before they expire").toBeLessThan(expiresAt.getTime());
  await untilNothing("the tokens to be gone", () => tokensLeft(uids), 60_000);
  await sleep(3000);
  expect((await deletions(uids)).filter(({ count }) => count !== 1)).toEqual([]);
  const told = await postgres.query<{ count: number }>(
    "select count(*)::int as count from change where uid = any($1::uuid[]) and operation = 'deleted'",
    [uids],
  );
  expect(told).toEqual([{ count: uids.length }]);
  const failed = await postgres.query("select * from event where reason = 'LookFailed'");
  expect(failed).toEqual([]);
});

test("a replica that slept through its leases stops nobody's work, and does not act on what it lost", async () => {
  // Due all at once, so that the sleeper is caught in the middle of looking.
  const expiresAt = new Date(Date.now() + 5000);
  const names = Array.from({ length: 150 }, (_, at) => `slept-${at}`);
  const first = await Promise.all(names.map((name) => makeToken(name, expiresAt)));
  await until("some to be gone", async () => (await tokensLeft(first)).length < 140, 60_000);
  b.pause();
  const pausedAt = performance.now();
  try {
    // Whatever the sleeper holds in the database must not stop the others for long.
    await makeToken("meanwhile");
    expect(performance.now() - pausedAt).toBeLessThan(10_000);
    await share(a, 64, 25_000);
    await untilNothing("the tokens to be gone", () => tokensLeft(first), 60_000);
    // The same names again, without an end: whoever still means the old ones must not take these.
    const second = await Promise.all(names.map((name) => makeToken(name)));
    const looks = () =>
      postgres.query("select uid, looked_at from look where uid = any($1::uuid[]) and replica = 'b'", [
        second,
      ]);
    await untilNothing(
      "the new ones to be looked at",
      () => postgres.query("select 1 from look where uid = any($1::uuid[]) and looked_at is null", [second]),
      20_000,
    );
    expect(await looks()).toEqual([]);
    b.resume();
    await sleep(2000);
    expect(await tokensLeft(second)).toHaveLength(second.length);
    expect(await looks(), "none of these are its own any more").toEqual([]);
    expect((await deletions(first)).filter(({ count }) => count !== 1)).toEqual([]);
    expect((await deletions(second)).filter(({ count }) => count !== 0)).toEqual([]);
  } finally {
    b.resume();
  }
  await Promise.all([share(a, 32), share(b, 32)]);
});
