import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { s3Key, startTestS3 } from "@reeve/control/storage/testing";
import { testVault } from "@reeve/keys/testing-vault";
import { onTestFinished } from "vitest";
import { backupFolder } from "./testing-backup.ts";
import { newCanary } from "./testing-canary.ts";
import { webhookReceiver } from "./testing-receivers.ts";

/** Settings that hold secrets or say where they are, each of them used, and what went to the places that they name. */
export async function plantSettings() {
  const [vault, s3, heads, backups] = await Promise.all([
    testVault(),
    startTestS3(),
    webhookReceiver(),
    backupFolder(),
  ]);
  onTestFinished(() => s3.close());
  const rootKey = randomBytes(32);
  const headsSecret = newCanary();
  const s3Secret = join(backups.folder, "s3-secret");
  writeFileSync(s3Secret, s3Key.secret);
  const identity = /AGE-SECRET-KEY-\S+/.exec(readFileSync(backups.settings.REEVE_BACKUP_IDENTITY, "utf8"));
  return {
    settings: {
      REEVE_ROOT_KEY: rootKey.toString("base64"),
      REEVE_ROOT_KEY_VAULT_ADDRESS: vault.address,
      REEVE_ROOT_KEY_VAULT_TOKEN: vault.token,
      REEVE_AUDIT_HEADS_WEBHOOK: heads.url,
      REEVE_AUDIT_HEADS_SECRET: headsSecret,
      ...backups.settings,
      REEVE_BACKUP_TO: `s3://${s3Key.bucket}/backups`,
      REEVE_BACKUP_S3_ENDPOINT: s3.url,
      REEVE_BACKUP_S3_REGION: s3Key.region,
      REEVE_BACKUP_S3_ACCESS_KEY: s3Key.accessKey,
      REEVE_BACKUP_S3_SECRET_FILE: s3Secret,
    },
    planted: {
      what: "settings: root keys, of Vault, of S3, of backups, of the webhook for heads",
      secrets: [
        ...[rootKey.toString("base64"), rootKey.toString("hex"), rootKey.toString("latin1")],
        ...[vault.token, s3Key.secret, headsSecret, String(identity)],
      ],
    },
    went: () => ({
      "a backup": [...s3.objects].map(([name, bytes]) => `${name}\n${bytes.toString("latin1")}`).join("\n"),
      "the heads of the audit": JSON.stringify(heads.received),
      "what Vault was asked": JSON.stringify(vault.asked),
    }),
  };
}
