import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLogArchive } from "@reeve/control";
import { folderStorage, s3Storage } from "@reeve/control/storage";
import { s3Key, startTestS3 } from "@reeve/control/storage/testing";
import { newUid } from "@reeve/model";
import { logRetention } from "@reeve/store/logs";
import { expect, onTestFinished, test } from "vitest";
import { testServer } from "./testing.ts";
import { openTestLog } from "./testing-logs.ts";

const quiet = { info() {}, warn() {}, error() {}, debug() {} };

test("what has ended is copied to a bucket, goes from the database, and is read, followed, searched and downloaded all the same", async () => {
  const s3 = await startTestS3();
  onTestFinished(() => s3.close());
  const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "secret"), s3Key.secret, { mode: 0o600 });
  const server = await testServer({
    settings: {
      REEVE_LOG_ARCHIVE_TO: `s3://${s3Key.bucket}/logs`,
      REEVE_LOG_ARCHIVE_S3_ENDPOINT: s3.url,
      REEVE_LOG_ARCHIVE_S3_REGION: s3Key.region,
      REEVE_LOG_ARCHIVE_S3_ACCESS_KEY: s3Key.accessKey,
      REEVE_LOG_ARCHIVE_S3_SECRET_FILE: join(folder, "secret"),
    },
  });
  const { database } = server;
  const log = await openTestLog(database);
  for (let line = 0; line < 40; line++) await log.write("stdout", `line ${line}\n`);
  await log.write("stdout", "the last\n", { gap: [100, "somebody sat on it"], end: true });
  await log.write("stderr", "warned\n", { end: true });
  const storage = s3Storage({ settings: "REEVE_LOG_ARCHIVE", endpoint: s3.url, prefix: "logs", ...s3Key });
  const archive = openLogArchive(database, { storage, days: 400, quietMs: -1 }, quiet);
  await archive.archiveNow();
  expect(s3.objects.size).toBe(0);
  await log.endRun();
  const paths = [
    "logs",
    "logs?format=tar",
    "steps/0/logs?stream=stdout&format=raw&offset=7",
    "logs?since=2020-01-01T00:00:00Z",
  ];
  const read = () =>
    Promise.all(
      [...paths, "logs/search?q=line%203", "logs?follow=true"].map((path) =>
        server.call("GET", `/runs/${log.run}/${path}`),
      ),
    );
  const before = await read();
  await archive.archiveNow();
  await archive.archiveNow();
  expect(s3.objects.size).toBe(1);
  await database.query("update log_run set at = now() - interval '31 days'");
  for (const { prune } of logRetention({ days: 30, bytesOfDefinition: 1e9, archived: true }))
    await prune(database, 1000);
  expect(await database.query("select 1 from log_chunk")).toEqual([]);
  const after = await read();
  for (const [index, { status, body }] of after.entries()) {
    expect(status).toBe(200);
    expect(body).toEqual(before[index]?.body);
  }
  // What is there is checked: a bit that turned is not shown as if it were the log.
  const [key, object] = [...s3.objects][0] as [string, Buffer];
  object[object.length - 200] = (object[object.length - 200] as number) ^ 1;
  s3.objects.set(key, object);
  const broken = await server
    .call("GET", `/runs/${log.run}/logs/search?q=nothing`)
    .catch(() => ({ status: 503 }));
  expect(broken.status).toBe(503);
});

test("output that is not what its agent told, or is damaged, is told and holds up nothing else", async () => {
  const server = await testServer();
  const { database } = server;
  const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [other, damaged, sound] = [
    await openTestLog(database),
    await openTestLog(database),
    await openTestLog(database),
  ];
  for (const log of [other, damaged, sound]) {
    await log.write("stdout", "a line\n", { end: true });
    await log.endRun();
  }
  await database.query("update log_attempt set out_sha256 = $2 where run = $1", [
    other.run,
    Buffer.alloc(32),
  ]);
  await database.query("update log_chunk set sealed = $2 where run = $1", [damaged.run, newUid()]);
  const said: unknown[] = [];
  const log = { ...quiet, warn: (about: { run: string }, text: string) => said.push([about.run, text]) };
  const archive = openLogArchive(database, { storage: folderStorage(folder), days: 400, quietMs: -1 }, log);
  await archive.archiveNow();
  expect(said).toEqual([
    [other.run, expect.stringContaining("has not the hash that its agent told")],
    [damaged.run, "the output of a run is damaged and cannot be archived"],
  ]);
  const archived = await database.query<{ run: string }>("select run from log_run where archived_to > 0");
  expect(new Set(archived.map(({ run }) => run))).toEqual(new Set([other.run, sound.run]));
});

test("output that the archive does not have yet does not go, and what comes late is added to it", async () => {
  const server = await testServer();
  const { database } = server;
  const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = await openTestLog(database);
  await log.write("stdout", "early\n");
  await log.endRun();
  const prune = async () => {
    await database.query("update log_run set at = now() - interval '31 days'");
    for (const rule of logRetention({ days: 30, bytesOfDefinition: 1e9, archived: true }))
      await rule.prune(database, 1000);
  };
  await prune();
  expect(await database.query("select 1 from log_chunk")).toHaveLength(1);
  const archive = openLogArchive(database, { storage: folderStorage(folder), days: 400, quietMs: -1 }, quiet);
  await archive.archiveNow();
  await prune();
  await log.write("stdout", "late\n", { end: true });
  await archive.archiveNow();
  await prune();
  expect(await database.query("select 1 from log_chunk")).toEqual([]);
  const rows: string[] = [];
  for await (const { data } of archive.read(log.run, 0)) rows.push(String(data));
  expect(rows.join("")).toBe("early\nlate\n");
});
