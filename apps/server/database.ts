import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@reeve/control";
import { claimEmbedded, type Database, migrate, openDatabase, startEmbedded } from "@reeve/store";
import { allMigrations } from "./areas.ts";
import { type Config, ConfigError } from "./config.ts";
import { troubleLog } from "./trouble-log.ts";

/** The database of this server, migrated; `close` also stops an embedded one. */
export interface OpenedDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

export async function openStore(config: Config, log: Log, use: "serve" | "visit"): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) {
    const database = await ready(config.databaseUrl, log).catch((error: unknown) => {
      if (error instanceof ConfigError) throw error;
      throw new Error("REEVE_DATABASE_URL: this database cannot be used", { cause: error });
    });
    return { database, close: () => database.close() };
  }
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o711 });
  // An unprivileged Postgres must be able to pass through; what is in the folder has its own rights.
  chmodSync(config.dataFolder, 0o711);
  const embedded = await startEmbedded({
    folder: join(config.dataFolder, "postgres"),
    logFile: join(config.dataFolder, "postgres.log"),
  });
  const claiming = use === "serve" ? claimEmbedded(embedded.url) : undefined;
  const claim = await claiming?.catch((error: unknown) => {
    embedded.detach();
    throw error;
  });
  const leave = async () => {
    await claim?.release();
    if (use === "visit" && embedded.adopted) embedded.detach();
    else await embedded.stop();
  };
  const database = await ready(embedded.url, log).catch(async (error: unknown) => {
    await leave();
    throw error;
  });
  return {
    database,
    async close() {
      await database.close();
      await leave();
    },
  };
}

async function ready(url: string, log: Log): Promise<Database> {
  const database = openDatabase({
    url,
    ...troubleLog(log),
  });
  try {
    await checkVersion(database, log);
    const applied = await migrate(database, await allMigrations());
    if (applied.length > 0) log.info({ migrations: applied.length }, "the schema was brought up to date");
    return database;
  } catch (error) {
    // Open connections would keep the process alive.
    await database.close();
    throw error;
  }
}

/** CockroachDB is told by its name: the number it gives is that of a PostgreSQL before 14. */
async function checkVersion(database: Database, log: Log): Promise<void> {
  const [server] = await database.query<{ version: string; number: string }>(
    "select version() as version, current_setting('server_version_num') as number",
  );
  if (server?.version.startsWith("CockroachDB"))
    return log.warn({ version: server.version }, "Reeve is not tested on CockroachDB: see docs/operating.md");
  if (Number(server?.number ?? 0) < 140_000)
    throw new ConfigError("REEVE_DATABASE_URL: Reeve needs PostgreSQL 14 or later");
}
