import { isAbsolute } from "node:path";
import { isRecipient } from "@reeve/backup/control";
import { z } from "zod";
import { words } from "./words.ts";

const count = z.coerce.number().int().min(0).max(1000);

/** The settings of backups, as settings.ts has all others. */
export const backupFields = {
  backupTo: z
    .string()
    .refine((to) => isAbsolute(to) || /^s3:\/\/[^/]+/.test(to), {
      error: "write it as /folder or s3://bucket/path",
    })
    .optional()
    .describe("where backups go: /folder, the same on all replicas, or s3://bucket/path"),
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
  backupS3Endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the address of the S3 storage; Amazon's when unset"),
  backupS3Region: z.string().default("us-east-1").describe("its region"),
  backupS3AccessKey: z.string().optional().describe("the id of the access key"),
  backupS3SecretFile: z.string().optional().describe("a file with the secret of the access key"),
};
