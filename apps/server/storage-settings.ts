import { readFileSync } from "node:fs";
import { folderStorage, type Storage, s3Storage } from "@reeve/control/storage";
import { type Config, ConfigError } from "./config.ts";

/** What the settings of a storage begin with. */
const prefixes = { backup: "REEVE_BACKUP", logArchive: "REEVE_LOG_ARCHIVE" } as const;

export function openStorage(what: keyof typeof prefixes, to: string, config: Config): Storage {
  const bucket = /^s3:\/\/([^/]+)\/?(.*)$/.exec(to);
  if (bucket === null) return folderStorage(to);
  const settings = prefixes[what];
  const accessKey = config[`${what}S3AccessKey`];
  const secretFile = config[`${what}S3SecretFile`];
  const region = config[`${what}S3Region`];
  if (accessKey === undefined || secretFile === undefined)
    throw new ConfigError(`an s3:// storage needs ${settings}_S3_ACCESS_KEY and ${settings}_S3_SECRET_FILE`);
  return s3Storage({
    settings,
    endpoint: config[`${what}S3Endpoint`] ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket: bucket[1] as string,
    prefix: bucket[2] as string,
    accessKey,
    secret: readSetting(`${settings}_S3_SECRET_FILE`, secretFile).trim(),
  });
}

export function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${name}: ${file} cannot be read: ${(error as Error).message}`);
  }
}
