import { newUid, type Uid, uidAt } from "@reeve/model";
import { expect, test } from "vitest";
import { defaultRetention, retentionRules } from "../retention.ts";
import type { Sql } from "../sql.ts";
import { testDatabase } from "../testing.ts";
import { writeRunKeep } from "./retention.ts";

const dayMs = 86_400_000;
const graph = Buffer.from([1]);
const queue = newUid();

function prune(sql: Sql, name: string, limit = 1000): Promise<number> {
  const rule = retentionRules({ ...defaultRetention, runsDays: 30 }).find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule.prune(sql, limit);
}

/** A run of `uid` with two steps, an attempt and an event, that began and ended so many days ago. */
async function makeRun(sql: Sql, uid: Uid, began: number, ended?: number): Promise<string> {
  const id = uidAt(Date.now() - began * dayMs);
  await sql.query(
    `insert into run (id, scope, kind, name, uid, generation, graph, state, cause, by, inputs, open, settles, ended_at)
     values ($1, 'acme', 'Workflow', 'w', $2, 1, $3, $4, 'person', 'user:ada', '{}', 0, false,
       now() - $5::float8 * interval '1 day')`,
    [id, uid, graph, ended === undefined ? "running" : "succeeded", ended ?? null],
  );
  await sql.query(
    `insert into step (run, seq, def, state, pending, plain, queue) values ($1, 0, 0, 'succeeded', 0, true, $2), ($1, 1, 1, 'succeeded', 0, true, $2)`,
    [id, queue],
  );
  await sql.query(
    "insert into step_attempt (run, seq, epoch, attempt, state, why, ended_at) values ($1, 0, 1, 1, 'lost', '', now())",
    [id],
  );
  await sql.query(
    "insert into run_event (run, id, tone, reason, message) values ($1, $2, 'normal', 'x', 'x')",
    [id, newUid()],
  );
  return id;
}

async function counts(sql: Sql): Promise<number[]> {
  const [row] = await sql.query<{ all: number[] }>(
    `select array[(select count(*) from run), (select count(*) from step), (select count(*) from step_attempt), (select count(*) from run_event)]::int[] as all`,
  );
  return (row as { all: number[] }).all;
}

test("runs that ended long ago go with their steps, attempts and events; open ones and young ones stay", async () => {
  const { database } = await testDatabase();
  const uid = newUid();
  await makeRun(database, uid, 60, 31);
  await makeRun(database, uid, 60, 29);
  await makeRun(database, uid, 60);
  expect(await prune(database, "runs")).toBe(1);
  expect(await counts(database)).toEqual([2, 4, 2, 2]);
});

test("a large run goes in small batches", async () => {
  const { database } = await testDatabase();
  await makeRun(database, newUid(), 60, 31);
  expect(await prune(database, "runs", 1)).toBe(1);
  expect((await counts(database))[0]).toBe(1);
  let turns = 1;
  while ((await prune(database, "runs", 1)) > 0) turns++;
  expect(turns).toBeGreaterThan(3);
  expect(await counts(database)).toEqual([0, 0, 0, 0]);
});

test("a definition may keep fewer runs, or keep them longer or shorter", async () => {
  const { database } = await testDatabase();
  const [few, long, short] = [newUid(), newUid(), newUid()];
  await writeRunKeep(database, few, { runs: 2 });
  await writeRunKeep(database, long, { days: 100 });
  await writeRunKeep(database, short, { days: 1 });
  const kept = [
    await makeRun(database, few, 1, 1),
    await makeRun(database, few, 2),
    await makeRun(database, few, 9),
    await makeRun(database, long, 60, 60),
    await makeRun(database, short, 5, 0.5),
  ];
  await makeRun(database, few, 3, 3);
  await makeRun(database, few, 40, 40);
  await makeRun(database, long, 120, 101);
  await makeRun(database, short, 5, 2);
  expect(await prune(database, "runs")).toBe(1);
  expect(await prune(database, "runs by their definition's own rule")).toBe(3);
  const left = await database.query<{ id: string }>("select id from run");
  expect(left.map(({ id }) => id).sort()).toEqual(kept.sort());
});

test("a graph and a queue stay as long as a run that uses them can be there", async () => {
  const { database } = await testDatabase();
  const write = async (days: number) => {
    await database.query("delete from run_graph");
    await database.query("delete from run_queue");
    await database.query(
      "insert into run_graph (digest, graph, at) values ($1, '{}', now() - $2 * interval '1 day')",
      [graph, days],
    );
    await database.query(
      "insert into run_queue (id, scope, executor, selector, at) values ($1, 'acme', 'shell', '', now() - $2 * interval '1 day')",
      [queue, days],
    );
  };
  await write(32);
  expect([await prune(database, "graphs"), await prune(database, "queues")]).toEqual([0, 0]);
  await write(34);
  expect([await prune(database, "graphs"), await prune(database, "queues")]).toEqual([1, 1]);
  await write(34);
  const open = await makeRun(database, newUid(), 40);
  expect([await prune(database, "graphs"), await prune(database, "queues")]).toEqual([0, 0]);
  // It was seen in use, so the run may end now and is kept for its time.
  await database.query("update run set ended_at = now() where id = $1", [open]);
  expect([await prune(database, "graphs"), await prune(database, "queues")]).toEqual([0, 0]);
  await write(34);
  await writeRunKeep(database, newUid(), { days: 40 });
  expect([await prune(database, "graphs"), await prune(database, "queues")]).toEqual([0, 0]);
});

test("a limit goes when nobody is under it, an agent when its host is gone", async () => {
  const { database } = await testDatabase();
  const open = await makeRun(database, newUid(), 1);
  await database.query("update run set limit_key = 'used' where id = $1", [open]);
  await database.query(
    "insert into run_limit (key, at) values ('used', now() - interval '2 days'), ('old', now() - interval '2 days'), ('new', now())",
  );
  expect(await prune(database, "limits")).toBe(1);
  const agent = (state: string, days: number, identity: number) =>
    database.query(
      `insert into agent (uid, scope, name, identity, identity_expires_at, state, lease_until, beat_at)
       values ($1, 'acme', 'box', $2, now(), $3, now(), now() - $4 * interval '1 day')`,
      [newUid(), Buffer.from([identity]), state, days],
    );
  await agent("lost", 2, 1);
  await agent("revoked", 0.5, 2);
  await agent("connected", 2, 3);
  expect(await prune(database, "agents that are gone")).toBe(1);
});
