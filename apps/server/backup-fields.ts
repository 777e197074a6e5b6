import { isRecipient } from "@reeve/backup/control";
import { z } from "zod";
import { s3AccessKey, s3Endpoint, s3Region, s3SecretFile, storagePlace } from "./storage-fields.ts";
import { words } from "./words.ts";

const count = z.coerce.number().int().min(0).max(1000);

/** The settings of backups, as settings.ts has all others. */
export const backupFields = {
  backupTo: storagePlace.describe("where backups go: /folder, the same on all replicas, or s3://bucket/path"),
  backupRecipients: words
    .pipe(z.array(z.string().refine(isRecipient, { error: "not an age recipient, which begins with age1" })))
    .default([])
    .describe("age recipients that backups are encrypted to"),
  backupIdentity: z
    .string()
    .optional()
    .describe("a file with age identities: to restore, and to verify by restoring"),
  backupNightly: z
    .enum(["on", "off"])
    .default("on")
    .describe(
      "whether the server makes the workflow nightly-backup, when backups have a storage and it is not there",
    ),
  backupKeepDaily: count.default(7).describe("days of which the last good backup is kept"),
  backupKeepWeekly: count.default(5).describe("weeks of which the last good backup is kept"),
  backupS3Endpoint: s3Endpoint,
  backupS3Region: s3Region,
  backupS3AccessKey: s3AccessKey,
  backupS3SecretFile: s3SecretFile,
};
