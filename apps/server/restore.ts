import { basename, dirname } from "node:path";
import { restore } from "@reeve/backup/control";
import { type Log, systemAuthor } from "@reeve/control";
import { type Database, openLane } from "@reeve/store";
import { allMigrations, registry } from "./areas.ts";
import { readIdentities } from "./backup-settings.ts";
import { type Config, ConfigError } from "./config.ts";
import { openStore } from "./database.ts";
import { belongsTo } from "./installation.ts";
import { missingRoots } from "./keys.ts";
import { openStorage } from "./storage-settings.ts";

/** Brings an installation back from a backup, given as FOLDER/NAME or s3://BUCKET/PATH/NAME, into an empty database. */
export async function restoreFrom(from: string, config: Config, log: Log): Promise<void> {
  const whole = from.replace(/\/+$/, "");
  const storage = openStorage("backup", dirname(whole), config);
  const identities = readIdentities(config);
  if (identities.length === 0)
    throw new ConfigError(
      "REEVE_BACKUP_IDENTITY is missing: name the file with an age identity of the backup",
    );
  const store = await openStore(config, log, "serve");
  try {
    const manifest = await restore({
      database: store.database,
      storage,
      name: basename(whole),
      identities,
      migrations: await allMigrations(),
      async check({ installation, rootKeys }) {
        const owner = belongsTo(config.dataFolder);
        if (owner !== undefined && owner !== installation)
          throw new ConfigError(
            `the data folder ${config.dataFolder} belongs to the installation ${owner}, the backup to ${installation}: use another REEVE_DATA`,
          );
        const missing = await missingRoots(config, rootKeys);
        if (missing !== undefined) throw new ConfigError(missing);
      },
      onProgress: (words) => log.info({}, words),
    });
    await recordRestore(store.database, basename(whole), manifest.takenAt);
    process.stdout.write(
      `Restored ${basename(whole)}: the state of ${manifest.takenAt}, revision ${manifest.revision}.\n` +
        "All sessions have ended. Tokens, bindings and passwords are those of that time: what was revoked later has to be revoked again.\n" +
        "Start the server with the same settings.\n",
    );
  } finally {
    await store.close();
  }
}

/** The first record of the new timeline. */
async function recordRestore(database: Database, name: string, takenAt: string): Promise<void> {
  await openLane({ database, registry, reconciled: new Set() }).submit({
    author: systemAuthor("restored by a command on the server's machine"),
    needs: [],
    decide: () => ({
      writes: [],
      audit: [
        { kind: "Backup", scope: "", name, operation: "restore", outcome: "done", detail: { takenAt } },
      ],
    }),
  });
}
