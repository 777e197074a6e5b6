import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { withDatabase } from "./connection.ts";
import { openDatabase } from "./database.ts";
import { startEmbedded } from "./embedded.ts";
import { coreMigrations, type MigrationFolder, migrate, readMigrations } from "./migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    reevePostgres: string;
  }
}

export const templateName = "reeve_template";

/** One Postgres for a whole test run, with a migrated template that each test clones in about 40 ms. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-test-"));
  chmodSync(folder, 0o711);
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "300",
  };
  const postgres = await startEmbedded({
    folder: join(folder, "postgres"),
    logFile: join(folder, "postgres.log"),
    settings,
  });
  const pid = Number(
    (await import("node:fs")).readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0],
  );
  // An interrupted run never reaches the teardown.
  process.once("exit", () => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {}
    rmSync(folder, { recursive: true, force: true });
  });
  const admin = openDatabase({ url: postgres.url, connections: 1 });
  await admin.query(`create database ${templateName}`);
  const template = openDatabase({ url: withDatabase(postgres.url, templateName), connections: 1 });
  await migrate(template, await readMigrations([coreMigrations, ...areaMigrations()]));
  await template.close();
  await admin.close();
  provide("reevePostgres", postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Every area's migrations, found by their folders: the store itself knows no area. */
export function areaMigrations(): MigrationFolder[] {
  const areas = join(import.meta.dirname, "..", "..", "areas");
  return readdirSync(areas)
    .map((room) => ({ room, path: join(areas, room, "store", "migrations") }))
    .filter(({ path }) => existsSync(path));
}
