/** Backups of the installation itself: written from one moment, encrypted, verified by restoring them, and brought back. */
import type { ControlArea } from "@reeve/control";
import { backupController } from "./backup.ts";
import type { BackupSettings } from "./settings.ts";

export { isRecipient } from "./envelope.ts";
export { nightlyBackup } from "./nightly.ts";
export { restore } from "./restore.ts";
export type { BackupSettings } from "./settings.ts";

/** Without settings the kind is there, and its resources say what is missing. */
export function backupArea(settings: BackupSettings | undefined): ControlArea {
  return { name: "backup", controllers: [backupController(settings)] };
}
