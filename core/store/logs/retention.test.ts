import { newUid, uidAt } from "@reeve/model";
import { expect, test } from "vitest";
import { runRetention } from "../runs/retention.ts";
import type { Sql } from "../sql.ts";
import { testDatabase } from "../testing.ts";
import { type KeepLogs, logRetention } from "./retention.ts";
import { loggingRun } from "./testing.ts";
import { writeChunks } from "./write.ts";

const keep: KeepLogs = { days: 30, bytesOfDefinition: 450 };

async function prune(sql: Sql, name: string, limit = 1000): Promise<number> {
  const rule = logRetention(keep).find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule.prune(sql, limit);
}

async function runWithLog(
  database: Parameters<typeof writeChunks>[0],
  options: Parameters<typeof loggingRun>[1],
) {
  const made = await loggingRun(database, options);
  const { run, agent } = made;
  const data = Buffer.alloc(100);
  const of = { agent, run, seq: 0, epoch: 2, stream: "stdout" as const, data, gap: "" };
  await writeChunks(database, [{ ...of, offset: 0 }]);
  return made;
}

const left = async (sql: Sql) =>
  (await sql.query<{ run: string }>("select distinct run from log_chunk order by 1")).map(({ run }) => run);

test("logs go after their time, not those of an open run, in batches that are found again", async () => {
  const { database } = await testDatabase();
  await runWithLog(database, { ended: true });
  const open = await runWithLog(database, {});
  await database.query("update log_run set at = now() - interval '31 days'");
  const young = await runWithLog(database, { ended: true });
  expect(await prune(database, "logs", 1)).toBe(1);
  expect(await prune(database, "logs")).toBe(1);
  expect(await prune(database, "logs")).toBe(0);
  expect(await left(database)).toEqual([open.run, young.run].sort());
  expect(await database.query("select run from log_attempt")).toHaveLength(2);
});

test("of a definition that writes much the oldest ended runs lose theirs", async () => {
  const { database } = await testDatabase();
  const uid = newUid();
  const ids = [4, 3, 2, 1].map((ago) => uidAt(Date.now() - ago * 1000));
  for (const id of ids) await runWithLog(database, { id, uid, ended: true });
  const other = await runWithLog(database, { ended: true });
  expect(await prune(database, "logs of definitions that write much")).toBe(1);
  expect(await left(database)).toEqual([...ids.slice(1), other.run].sort());
});

test("a run takes its logs along", async () => {
  const { database } = await testDatabase();
  await runWithLog(database, { ended: true, id: uidAt(Date.now() - 101 * 86_400_000) });
  await database.query("update run set ended_at = now() - interval '100 days'");
  for (const { prune } of runRetention(90)) await prune(database, 1000);
  for (const table of ["run", "log_run", "log_attempt", "log_chunk"])
    expect(await database.query(`select 1 from ${table}`)).toEqual([]);
});
