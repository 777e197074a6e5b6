import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openLogArchive } from "@reeve/control";
import { folderStorage } from "@reeve/control/storage";
import { step } from "@reeve/runs/testing";
import { logRetention } from "@reeve/store/logs";
import { expect, onTestFinished, test, vi } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { patientWithLinks } from "./testing-agents.ts";
import { findSecret, newCanary } from "./testing-canary.ts";
import { crawlConnect } from "./testing-crawl-connect.ts";
import { crawlWatches } from "./testing-crawl-streams.ts";
import { crawlTables } from "./testing-crawls.ts";
import { openTestLog } from "./testing-logs.ts";
import { done } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";
import { fetched, keeping, linked } from "./testing-services.ts";

const quiet = { info() {}, warn() {}, error() {}, debug() {} };
const acme = "/organizations/acme";
const shop = `${acme}/projects/shop`;
const until = (fits: () => Promise<boolean>) => vi.waitUntil(fits, { timeout: 60_000, interval: 100 });

async function encrypt(server: TestServer, wanted: boolean): Promise<void> {
  await done(server.call("PATCH", acme, { body: { spec: { encryptAtRest: wanted } } }));
  await until(async () => {
    const { conditions = [] } = (await server.call("GET", acme)).body.status;
    return conditions.some(
      (one: { type: string; status: string }) =>
        one.type === "EncryptedAtRest" && one.status === String(wanted),
    );
  });
}

/** Puts a text wherever an organization's own words are kept, and says how to read them all again. */
async function plant(server: TestServer, name: string) {
  const canary = newCanary();
  const world = openRunWorld(server);
  const queue = `queue-${name}`;
  const project = `${acme}/projects/${name}`;
  await done(server.call("PUT", project, { body: { spec: { description: `first ${canary}` } } }));
  await done(server.call("PUT", project, { body: { spec: { description: `second ${canary}` } } }));
  const workflow = `${shop}/workflows/${name}`;
  const spec = {
    inputs: { word: { default: canary } },
    steps: [{ name: "say", run: `echo ${canary}` }],
    schedules: [{ name: "yearly", cron: "0 0 1 1 *", inputs: { word: canary } }],
  };
  await done(server.call("PUT", workflow, { body: { spec } }));
  await done(
    server.call("POST", `${workflow}/actions/trigger`, {
      body: { inputs: { word: canary } },
      headers: { "idempotency-key": name },
    }),
  );
  const service = `${shop}/services/${name}`;
  const files = { "compose.yaml": `services:\n  web:\n    image: ${canary}:1\n` };
  const host = await linked(server, `host-${name}`, keeping);
  await done(server.call("PUT", service, { body: { spec: { files, hosts: { names: [`host-${name}`] } } } }));
  await done(server.call("POST", `${service}/actions/deploy`, { body: {} }));
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex");
  expect(JSON.parse(await fetched(host, `services/bundles/${digest}`))).toEqual(files);
  await world.agent(() => ({ outputs: { word: canary } }), { executors: [queue] });
  const body = { does: "execute", executor: queue, with: { word: canary } } as const;
  const fan = step("fan", { needs: [0], body, over: { items: [canary, "b"] } });
  const graph = { steps: [step("one", { body }), fan], outputs: { word: "${{ steps.one.outputs.word }}" } };
  const run = await world.begin(graph, { inputs: { word: canary } });
  await until(async () => (await world.run(run)).state === "succeeded");
  expect((await world.run(run)).outputs).toEqual({ word: canary });
  const log = await openTestLog(server.database);
  await log.write("stdout", `plain ${canary}\n`);
  await log.write("stderr", `warned ${canary}\n`, { end: true });
  await log.write("stdout", "the end\n", { end: true });
  await log.endRun();
  const reads = [
    ...[project, `${project}/history`, workflow, service],
    ...[`/runs/${run}`, `/runs/${run}/steps`, `/runs?scope=acme/shop&limit=500`],
    ...[`/runs/${log.run}/logs`, `/runs/${log.run}/logs/search?q=${canary}`, `/audit?name=${name}`],
  ];
  const read = async () =>
    Promise.all(reads.map(async (path) => [path, (await done(server.call("GET", path))).body] as const));
  return { canary, run, log, project, read };
}

const withoutTimes = (body: unknown) =>
  JSON.stringify(body).replaceAll(/"(observedAt|updatedAt)":"[^"]*"/g, "");

test("what an organization keeps is sealed in every table, was it there before or came after, and reads as ever; and it goes back", {
  timeout: 240_000,
}, async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { database } = server;
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", "/organizations/other", { body: { spec: { description: "other words" } } }));
  await done(
    server.call("PUT", "/organizations/other/projects/open", {
      body: { spec: { description: "other words" } },
    }),
  );
  const before = await plant(server, "before");
  const told = await before.read();
  for (const [path, body] of told)
    expect(findSecret(JSON.stringify(body), before.canary), path).not.toEqual([]);
  expect(findSecret(await crawlTables(server), before.canary)).not.toEqual([]);

  await encrypt(server, true);
  const after = await plant(server, "after");
  const planted = [before, after];
  const text = await crawlTables(server);
  for (const { canary } of planted) expect(findSecret(text, canary)).toEqual([]);
  expect(text).toContain("other words");
  // Pieces that agents packed would not be found by their text: each says that it is sealed.
  expect(await database.query("select 1 from log_chunk where sealed is null and data is not null")).toEqual(
    [],
  );
  for (const [index, [path, body]] of (await before.read()).entries())
    if (!/runs\?/.test(path)) expect(withoutTimes(body), path).toBe(withoutTimes(told[index]?.[1]));
  for (const [path, body] of await after.read())
    expect(findSecret(JSON.stringify(body), after.canary), path).not.toEqual([]);
  for (const crawl of [crawlWatches, crawlConnect])
    expect(findSecret(await crawl(server), before.canary), crawl.name).not.toEqual([]);

  const { items } = (await done(server.call("GET", "/schedules"))).body;
  expect(items.map((one: { workflow: string; nextAt: string }) => [one.workflow, one.nextAt])).toEqual([
    ["after", items[0].nextAt],
    ["before", expect.stringMatching(/-01-01T/)],
  ]);
  // What one may select by goes on, and so do going back and asking twice.
  const connection = { spec: { type: "generic", values: {} } };
  await done(server.call("PUT", `${shop}/connections/c`, { body: connection }));
  const selected = await done(server.call("GET", `${shop}/connections?fields=spec.type%3Dgeneric`));
  expect(selected.body.items).toHaveLength(1);
  await done(server.call("POST", `${after.project}/rollback`, { body: { generation: 1 } }));
  expect((await server.call("GET", after.project)).body.spec.description).toBe(`first ${after.canary}`);
  const proof = await done(server.call("POST", "/audit/verify", { body: {} }));
  expect(JSON.stringify(proof.body)).not.toContain("altered");

  await encrypt(server, false);
  expect(await crawlTables(server)).not.toContain("$sealed");
  expect(await database.query("select 1 from log_chunk where sealed is not null")).toEqual([]);
  for (const [path, body] of await after.read())
    expect(findSecret(JSON.stringify(body), after.canary), path).not.toEqual([]);
});

test("a sealed log is archived sealed, and read from there; damage to it, and a changed record of the audit, are told", {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await testServer({ settings: { ...patientWithLinks, REEVE_LOG_ARCHIVE_TO: folder } });
  const { database } = server;
  await done(server.call("PUT", shop, { body: {} }));
  await encrypt(server, true);
  const { canary, log } = await plant(server, "archived");
  const archive = openLogArchive(database, { storage: folderStorage(folder), days: 400, quietMs: -1 }, quiet);
  await archive.archiveNow();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const stored = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("");
  expect(stored).toContain('"sealed":"');
  expect(findSecret(stored, canary)).toEqual([]);
  await database.query("update log_run set at = now() - interval '31 days'");
  for (const { prune } of logRetention({ days: 30, bytesOfDefinition: 1e9, archived: true }))
    await prune(database, 1000);
  expect(JSON.stringify((await done(server.call("GET", `/runs/${log.run}/logs`))).body)).toContain(
    `plain ${canary}`,
  );
  // A byte of the first piece, just after the line that tells of it.
  const [object] = files.filter(({ parentPath }) => parentPath.endsWith(log.run));
  const path = join(object?.parentPath ?? "", object?.name ?? "");
  const bytes = readFileSync(path);
  const at = bytes.indexOf("\n") + 5;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const damaged = await server.call("GET", `/runs/${log.run}/logs`);
  expect({ status: damaged.status, ...damaged.body }).toMatchObject({
    status: 503,
    detail: `the archived log is damaged: the object ${relative(folder, path)} is not as it was written`,
    next: "bring this object back from a copy of the archive, and read again",
  });

  const proof = async () => (await done(server.call("POST", "/audit/verify", { body: {} }))).body;
  await until(async () => (await proof()).intact);
  const [one, two] = await database.query<{ revision: number }>(
    "select revision from audit where detail ? '$sealed' order by revision limit 2",
  );
  await database.query(
    "update audit set detail = (select detail from audit where revision = $2) where revision = $1",
    [one?.revision, two?.revision],
  );
  const findings = (await proof()).items.flatMap((item: { findings: object[] }) => item.findings);
  expect(findings).toMatchObject([{ organization: "acme", revision: one?.revision }]);
  expect((await server.call("GET", "/audit?organization=acme")).status).toBeLessThan(500);
});
