/** The schema that all migrations make together, as one file to read and to compare. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  coreMigrations,
  migrate,
  openDatabase,
  readMigrations,
  startEmbedded,
} from "../../core/store/index.ts";
import { areaMigrations } from "../../core/store/testing-setup.ts";
import { dumpSchema } from "./dump-schema.ts";
import type { Made } from "./stale.ts";

const HEAD = `-- Made by \`npm run generate\` from the migrations of the core and of every area. Not run by anybody: it is for reading,
-- and for seeing in a review what a migration comes to.
`;

export async function databaseSchema(): Promise<Made> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-schema-"));
  // Postgres may run as another user, who must get through.
  chmodSync(folder, 0o711);
  const leave = () => abandon(folder);
  process.once("exit", leave);
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    shared_buffers: "8MB",
  };
  const postgres = await startEmbedded({
    folder: join(folder, "postgres"),
    logFile: join(folder, "log"),
    settings,
  });
  const database = openDatabase({ url: postgres.url, connections: 1 });
  try {
    await migrate(database, await readMigrations([coreMigrations, ...areaMigrations()]));
    return new Map([["core/store/schema.sql", `${HEAD}\n${await dumpSchema(database)}`]]);
  } finally {
    await database.close();
    await postgres.stop();
    process.off("exit", leave);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An interrupted run: Postgres would live on by itself. */
function abandon(folder: string): void {
  try {
    const [pid] = readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // Not started yet; without its folder it will not be.
  }
  rmSync(folder, { recursive: true, force: true });
}
