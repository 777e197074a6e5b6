import type { BackupSettings } from "@reeve/backup/control";
import { allMigrations } from "./areas.ts";
import { type Config, ConfigError } from "./config.ts";
import { openStorage, readSetting } from "./storage-settings.ts";

/** What backups need, read and checked at start; undefined when none are configured. */
export async function readBackupSettings(
  config: Config,
  version: string,
): Promise<BackupSettings | undefined> {
  if (config.backupTo === undefined) return undefined;
  if (config.backupRecipients.length === 0)
    throw new ConfigError(
      "REEVE_BACKUP_RECIPIENTS is missing: backups hold everything, so they are always encrypted. `age-keygen` makes an identity and its recipient; keep the identity elsewhere",
    );
  return {
    storage: openStorage("backup", config.backupTo, config),
    recipients: config.backupRecipients,
    identities: readIdentities(config),
    keep: { daily: config.backupKeepDaily, weekly: config.backupKeepWeekly },
    version,
    migrations: await allMigrations(),
  };
}

/** A file as `age-keygen` writes it: comments, and an identity on each line. */
export function readIdentities(config: Config): string[] {
  if (config.backupIdentity === undefined) return [];
  const lines = readSetting("REEVE_BACKUP_IDENTITY", config.backupIdentity).split("\n");
  const found = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length > 0 && found.every((line) => /^AGE-SECRET-KEY-/.test(line))) return found;
  throw new ConfigError(
    `REEVE_BACKUP_IDENTITY: ${config.backupIdentity} holds no age identities, lines that begin with AGE-SECRET-KEY-`,
  );
}
