import { readFileSync } from "node:fs";
import { type BackupSettings, folderStorage, type Storage, s3Storage } from "@reeve/backup/control";
import { allMigrations } from "./areas.ts";
import { type Config, ConfigError } from "./config.ts";

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
    storage: openStorage(config.backupTo, config),
    recipients: config.backupRecipients,
    identities: readIdentities(config),
    keep: { daily: config.backupKeepDaily, weekly: config.backupKeepWeekly },
    version,
    migrations: await allMigrations(),
  };
}

export function openStorage(to: string, config: Config): Storage {
  const bucket = /^s3:\/\/([^/]+)\/?(.*)$/.exec(to);
  if (bucket === null) return folderStorage(to);
  const { backupS3Region: region, backupS3AccessKey: accessKey, backupS3SecretFile: secretFile } = config;
  if (accessKey === undefined || secretFile === undefined)
    throw new ConfigError(
      "an s3:// storage needs REEVE_BACKUP_S3_ACCESS_KEY and REEVE_BACKUP_S3_SECRET_FILE",
    );
  return s3Storage({
    endpoint: config.backupS3Endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket: bucket[1] as string,
    prefix: bucket[2] as string,
    accessKey,
    secret: readSetting("REEVE_BACKUP_S3_SECRET_FILE", secretFile).trim(),
  });
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

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${name}: ${file} cannot be read: ${(error as Error).message}`);
  }
}
