import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderStorage } from "@reeve/control/storage";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { allMigrations } from "../../apps/server/areas.ts";
import { restore } from "../../areas/backup/control/restore.ts";
import { verifyBackup } from "../../areas/backup/control/verify.ts";
import { writeBackup } from "../../areas/backup/control/write.ts";
import { openDatabase, startEmbedded } from "../../core/store/index.ts";
import { copyFile } from "./backup/copy-file.ts";
import { fillDatabase, rowBytes } from "./backup/fill-database.ts";
import type { Bench } from "./measure/bench.ts";
import { readMachine } from "./measure/machine.ts";
import { say } from "./measure/progress.ts";
import { type Row, table, whole } from "./measure/table.ts";

/** How long a backup, its verification and a restore take, against copying a file of the same bytes durably. */
export const backup: Bench = {
  summary: "backup, verification and restore of the whole installation",
  minutes: 10,
  quickMinutes: 2,
  stages: [],
  async run(premises, options) {
    const sizes = options.sizes.length > 0 ? options.sizes : options.quick ? [10_000] : [100_000, 10_000];
    const measured: Figures[] = [];
    for (const size of sizes) measured.push(await measure(premises.folder(), premises.ending, size));
    const machine = readMachine(premises.folder());
    if (options.jsonFile !== undefined)
      writeFileSync(
        options.jsonFile,
        `${JSON.stringify({ bench: "backup", machine, measured }, undefined, 2)}\n`,
      );
    process.stdout.write(
      `Backup benchmark, ${machine.date.slice(0, 16)}Z, commit ${machine.commit}, ${machine.cores} cores (${machine.cpu})\n\n` +
        `${table(
          sizes.map((size) => `${whole(size)} res.`),
          rowsOf(measured),
        )}\n`,
    );
  },
};

interface Figures {
  readonly rowMb: number;
  readonly storedMb: number;
  readonly copySeconds: number;
  readonly backupSeconds: number;
  readonly verifySeconds: number;
  readonly restoreSeconds: number;
}

async function measure(
  folder: string,
  ending: (end: () => Promise<void>) => () => Promise<void>,
  size: number,
): Promise<Figures> {
  const postgres = await startEmbedded({ folder: join(folder, "postgres"), logFile: join(folder, "log") });
  ending(() => postgres.stop());
  const database = openDatabase({ url: postgres.url });
  ending(() => database.close());
  const migrations = await allMigrations();
  say(`filling a database with ${whole(size)} resources`);
  await fillDatabase(database, migrations, size);
  const bytes = await rowBytes(database);
  const identity = await generateX25519Identity();
  const storage = folderStorage(join(folder, "backups"));
  await storage.prepare(async () => undefined);
  const recipients = [await identityToRecipient(identity)];
  const uid = "01900000-0000-7000-8000-0000000000ff";
  const copySeconds = await seconds("copying a file", () => copyFile(folder, bytes));
  const work = { database, storage, recipients, name: "one", uid, version: "bench" };
  let manifest: Awaited<ReturnType<typeof writeBackup>> | undefined;
  const backupSeconds = await seconds("backing up", async () => {
    manifest = await writeBackup({ ...work, onProgress: async () => {} });
  });
  if (manifest === undefined) throw new Error("no backup was made");
  const refilling = { storage, manifest, identities: [identity], migrations, onProgress: async () => {} };
  const verifySeconds = await seconds("verifying", () => verifyBackup(database, refilling));
  await database.query("create database restored template template0");
  const target = openDatabase({ url: postgres.url.replace("/postgres?", "/restored?") });
  ending(() => target.close());
  const restoreSeconds = await seconds("restoring", () =>
    restore({ ...work, ...refilling, database: target, check: async () => {}, onProgress: () => {} }),
  );
  const storedMb = manifest.tables.reduce((sum, one) => sum + one.bytes, 0) / 1e6;
  return { rowMb: bytes / 1e6, storedMb, copySeconds, backupSeconds, verifySeconds, restoreSeconds };
}

async function seconds(what: string, work: () => Promise<unknown>): Promise<number> {
  say(what);
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

function rowsOf(measured: readonly Figures[]): Row[] {
  const row = (name: string, value: (figures: Figures) => string): Row => ({
    name,
    measured: measured.map(value),
  });
  const timed = (name: string, of: (figures: Figures) => number): Row[] => [
    row(name, (one) => `${of(one).toFixed(1)} s`),
    row("  rows per second", (one) => `${(one.rowMb / of(one)).toFixed(1)} MB/s`),
    row("  against a copy", (one) => `${(of(one) / one.copySeconds).toFixed(1)} x`),
  ];
  return [
    row("rows as text", (one) => `${one.rowMb.toFixed(1)} MB`),
    row("stored", (one) => `${one.storedMb.toFixed(1)} MB`),
    row("a durable copy of the same bytes", (one) => `${one.copySeconds.toFixed(2)} s`),
    ...timed("backup", (one) => one.backupSeconds),
    ...timed("verification", (one) => one.verifySeconds),
    ...timed("restore", (one) => one.restoreSeconds),
  ];
}
