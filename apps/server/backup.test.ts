import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { keyFile } from "@reeve/keys/testing";
import { type Database, openDatabase } from "@reeve/store";
import { Decrypter } from "age-encryption";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { backUp, backupFolder, verdict } from "./testing-backup.ts";
import { done, newProgram } from "./testing-people.ts";

interface Head {
  readonly organization: string;
  readonly revision: number;
  readonly hash: string;
}

interface Manifest {
  readonly auditHeads: readonly Head[];
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly part: string }[];
}

test("a backup is written while others write, and verified by restoring it", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await expect.poll(() => server.database.query("select 1 from audit_head")).not.toEqual([]);
  let writing = true;
  const writer = (async () => {
    for (let at = 0; writing; at++)
      await done(server.call("PUT", `/organizations/acme/projects/p${at}`, { body: { spec: {} } }));
  })();
  await backUp(server, "first");
  expect(await verdict(server, "first")).toMatchObject({ status: "true", reason: "Restored" });
  writing = false;
  await writer;
  const manifest = JSON.parse(readFileSync(join(to, "first", "manifest.json"), "utf8"));
  const { status } = (await server.call("GET", "/backups/first")).body;
  expect(status).not.toHaveProperty("progress");
  expect(status).toMatchObject({ takenAt: manifest.takenAt, revision: manifest.revision });
  expect(status.bytes).toBe(
    manifest.tables.reduce((sum: number, one: { bytes: number }) => sum + one.bytes, 0),
  );
  expect(manifest.auditHeads.length).toBeGreaterThan(0);
  expect(await scratchDatabases(server.databaseUrl)).toEqual([]);
});

test("a backup holds nothing in the clear", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await done(
    server.call("PUT", "/organizations/acme/projects/shop", {
      body: { spec: { description: "canary-7391" } },
    }),
  );
  const { token } = await newProgram(server, "acme", "ci");
  await backUp(server, "first");
  await verdict(server, "first");
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) {
    const content = readFileSync(join(file.parentPath, file.name));
    for (const secret of ["canary-7391", token]) expect(content.includes(secret), file.name).toBe(false);
  }
});

test("a root key is in no row and in no backup, in whatever form, nor is one that was replaced", async () => {
  const { to, settings } = await backupFolder();
  const path = keyFile();
  const server = await testServer({
    settings: { ...settings, REEVE_ROOT_KEY: undefined, REEVE_ROOT_KEY_FILE: path },
  });
  const secret = "/organizations/acme/secrets/db";
  await done(server.call("PUT", secret, { body: {} }));
  await done(server.call("POST", `${secret}/actions/set`, { body: { values: { password: "hunter2" } } }));
  await done(server.call("POST", "/keys/rotate", { body: { level: "root" } }));
  const keys = readFileSync(path, "utf8").trim().split("\n");
  expect(keys).toHaveLength(2);
  await backUp(server, "first");
  await verdict(server, "first");
  const opened = await openedParts(to, "first", settings.REEVE_BACKUP_IDENTITY);
  const rows = await everyRow(server.database);
  const manifest = readFileSync(join(to, "first", "manifest.json"), "latin1");
  // What both searches would find.
  const [root] = await server.database.query<{ id: string }>("select id from root_key limit 1");
  for (const text of [opened, rows]) expect(text).toContain(root?.id);
  for (const key of keys) {
    const bytes = Buffer.from(key, "base64");
    expect(bytes.length).toBe(32);
    for (const form of ["latin1", "hex", "base64", "base64url"] as const) {
      const shown = bytes.toString(form).replace(/=+$/, "");
      for (const text of [opened, rows, manifest])
        expect([form, text.includes(shown)]).toEqual([form, false]);
    }
  }
});

test("without an identity only digests are compared, and it says so", async () => {
  const { settings } = await backupFolder();
  const { REEVE_BACKUP_IDENTITY: _, ...blind } = settings;
  const server = await testServer({ settings: blind });
  await backUp(server, "first");
  expect(await verdict(server, "first")).toMatchObject({
    status: "true",
    reason: "DigestsCompared",
    message: "only digests compared: the server has no REEVE_BACKUP_IDENTITY",
  });
});

test("a part that was changed, cut or lost is found by verifying again, and told as an event", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await backUp(server, "first");
  await verdict(server, "first");
  const manifest = JSON.parse(readFileSync(join(to, "first", "manifest.json"), "utf8"));
  const part = manifest.tables.find((one: { name: string }) => one.name === "resource").part;
  const whole = readFileSync(join(to, part));
  const flipped = Buffer.from(whole);
  flipped[flipped.length - 20] = (flipped[flipped.length - 20] as number) ^ 1;
  for (const damage of [flipped, whole.subarray(0, whole.length - 1), Buffer.alloc(0)]) {
    writeFileSync(join(to, part), damage);
    await done(server.call("POST", "/backups/first/actions/verify", { body: {} }));
    expect(await verdict(server, "first")).toMatchObject({ status: "false", reason: "Damaged" });
  }
  const { items } = (await server.call("GET", "/backups/first/events")).body;
  expect(items.map((one: { reason: string }) => one.reason)).toContain("BackupUnusable");
  expect(await scratchDatabases(server.databaseUrl)).toEqual([]);
  writeFileSync(join(to, part), whole);
  await done(server.call("POST", "/backups/first/actions/verify", { body: {} }));
  expect(await verdict(server, "first")).toMatchObject({ status: "true" });
});

test("rows and audits that are not those of the manifest are found, and named, though every digest is right", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  const audited = () => server.database.query("select distinct organization from audit_head order by 1");
  await expect.poll(audited).toEqual([{ organization: "" }, { organization: "acme" }]);
  await backUp(server, "first");
  await verdict(server, "first");
  const file = join(to, "first", "manifest.json");
  const whole = readFileSync(file, "utf8");
  const { auditHeads, tables }: Manifest = JSON.parse(whole);
  const [installation, acme] = auditHeads as [Head, Head];
  const resources = tables.find(({ name }) => name === "resource")?.rows ?? 0;
  const having = (rows: number) => ({
    tables: tables.map((one) => (one.name === "resource" ? { ...one, rows } : one)),
  });
  const cases: [Partial<Manifest>, string][] = [
    [having(resources + 1), `resource has ${resources} rows instead of ${resources + 1}`],
    [having(resources - 1), `resource has ${resources} rows instead of ${resources - 1}`],
    [
      { auditHeads: [installation, { ...acme, revision: acme.revision - 1 }] },
      "the audit of acme does not end",
    ],
    [
      { auditHeads: [{ ...installation, hash: acme.hash }, acme] },
      "the audit of the installation does not end",
    ],
    [{ auditHeads: [installation] }, "the audit of acme does not end as the manifest says"],
    [{ auditHeads: [...auditHeads, { ...acme, organization: "zeta" }] }, "the audit of zeta does not end"],
  ];
  const verified = async (manifest: string) => {
    writeFileSync(file, manifest);
    await done(server.call("POST", "/backups/first/actions/verify", { body: {} }));
    return verdict(server, "first");
  };
  for (const [change, words] of cases)
    expect(await verified(JSON.stringify({ ...JSON.parse(whole), ...change }))).toMatchObject({
      status: "false",
      reason: "Damaged",
      message: expect.stringContaining(words),
    });
  expect(await verified(whole)).toMatchObject({ status: "true", reason: "Restored" });
});

test("a deleted backup is gone from the storage, also one that is being written", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await backUp(server, "first");
  await verdict(server, "first");
  await backUp(server, "second");
  for (const name of ["first", "second"]) {
    await done(server.call("DELETE", `/backups/${name}`));
    await expect.poll(async () => (await server.call("GET", `/backups/${name}`)).status).toBe(404);
  }
  expect(readdirSync(to)).toEqual([".reeve-storage"]);
});

test("a backup goes when newer ones have taken its place; a paused one and the last good one stay", async () => {
  const { to, settings } = await backupFolder();
  const keep = { REEVE_BACKUP_KEEP_DAILY: "1", REEVE_BACKUP_KEEP_WEEKLY: "0" };
  const server = await testServer({ settings: { ...settings, ...keep } });
  for (const name of ["old", "paused", "last"]) {
    await backUp(server, name);
    await verdict(server, name);
  }
  await done(server.call("PATCH", "/backups/paused", { body: { metadata: { paused: true } } }));
  const age = (name: string, days: number) =>
    server.database.query(
      `update resource set status = status || jsonb_build_object('takenAt', (now() - $2::int * interval '1 day')::text)
       where kind = 'Backup' and name = $1`,
      [name, days],
    );
  await age("old", 60);
  await age("paused", 50);
  await age("last", 40);
  await lookAgain(server);
  await expect.poll(async () => (await server.call("GET", "/backups/old")).status).toBe(404);
  expect(readdirSync(to).sort()).toEqual([".reeve-storage", "last", "paused"]);
});

test("while the storage's mount is away no backup is taken for lost and none is written, and then all goes on", async () => {
  const { folder, to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await backUp(server, "first");
  const before = await verdict(server, "first");
  renameSync(to, join(folder, "away"));
  mkdirSync(to);
  await lookAgain(server);
  await backUp(server, "second");
  for (const name of ["first", "second"]) await expect.poll(() => why(server, name)).toContain("mount");
  expect(await verdict(server, "first")).toEqual(before);
  expect(readdirSync(to)).toEqual([]);
  rmdirSync(to);
  renameSync(join(folder, "away"), to);
  await lookAgain(server);
  expect(await verdict(server, "second")).toMatchObject({ status: "true", reason: "Restored" });
  expect(await verdict(server, "first")).toEqual(before);
});

test("a copy that vanished is told once, is looked for again, and counts as soon as it is back", async () => {
  const { folder, to, settings } = await backupFolder();
  const server = await testServer({ settings });
  await backUp(server, "first");
  await verdict(server, "first");
  renameSync(join(to, "first"), join(folder, "first"));
  const words = "its copy is no longer in the storage";
  for (let times = 0; times < 2; times++) {
    await lookAgain(server);
    await expect.poll(() => why(server, "first")).toBe(words);
    const ahead = "select 1 from look where kind = 'Backup' and due_at > now() + interval '30 minutes'";
    await expect.poll(() => server.database.query(ahead)).toHaveLength(1);
  }
  const { items } = (await server.call("GET", "/backups/first/events")).body;
  expect(items.filter(({ message }: { message: string }) => message === words)).toHaveLength(1);
  renameSync(join(folder, "first"), join(to, "first"));
  await lookAgain(server);
  expect(await verdict(server, "first")).toMatchObject({ status: "true", reason: "Restored" });
});

test("without a storage a backup waits and says what is missing", async () => {
  const server = await testServer();
  await backUp(server, "first");
  await expect.poll(() => why(server, "first")).toMatch(/REEVE_BACKUP_TO/);
  await done(server.call("DELETE", "/backups/first"));
  await expect.poll(async () => (await server.call("GET", "/backups/first")).status).toBe(404);
});

test("another installation's backup of the same name is left alone", async () => {
  const { to, settings } = await backupFolder();
  const one = await testServer({ settings });
  const other = await testServer({ settings });
  await backUp(one, "same");
  await verdict(one, "same");
  const manifest = readFileSync(join(to, "same", "manifest.json"), "utf8");
  await backUp(other, "same");
  await expect.poll(() => why(other, "same")).toMatch(/holds another backup of the name same/);
  await done(other.call("DELETE", "/backups/same"));
  await expect.poll(async () => (await other.call("GET", "/backups/same")).status).toBe(404);
  expect(readFileSync(join(to, "same", "manifest.json"), "utf8")).toBe(manifest);
});

async function why(server: TestServer, name: string): Promise<string | undefined> {
  return (await server.call("GET", `/backups/${name}/why`)).body.look?.why;
}

/** As it would of itself within the hour. */
function lookAgain({ database }: TestServer): Promise<unknown> {
  return database.query("update look set due_at = now() where kind = 'Backup'");
}

/** All that is in a backup, as whoever holds its identity would open it. */
async function openedParts(to: string, name: string, identityFile: string): Promise<string> {
  const { tables }: Manifest = JSON.parse(readFileSync(join(to, name, "manifest.json"), "utf8"));
  const decrypter = new Decrypter();
  decrypter.addIdentity(readFileSync(identityFile, "utf8").split("\n")[1] ?? "");
  const parts = tables.map(({ part }) => decrypter.decrypt(readFileSync(join(to, part))));
  return (await Promise.all(parts)).map((part) => zstdDecompressSync(part).toString("latin1")).join("\n");
}

async function everyRow(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const rows = tables.map(({ name }) =>
    database.query<{ row: string }>(`select t::text as row from ${name} t`),
  );
  return (await Promise.all(rows)).flatMap((found) => found.map(({ row }) => row)).join("\n");
}

async function scratchDatabases(url: string): Promise<string[]> {
  const database = openDatabase({ url, connections: 1 });
  const rows = await database.query<{ datname: string }>(
    "select datname from pg_database where datname like 'reeve_verify_%'",
  );
  await database.close();
  return rows.map((row) => row.datname);
}
