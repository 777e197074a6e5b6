import type { Storage } from "@reeve/control/storage";
import type { Migration } from "@reeve/store";
import type { Keep } from "./keep.ts";

/** What the server's configuration says of backups. */
export interface BackupSettings {
  readonly storage: Storage;
  /** age recipients: whoever holds one of their identities can restore. */
  readonly recipients: readonly string[];
  /** Identities that the server itself may use to verify; none is fine. */
  readonly identities: readonly string[];
  readonly keep: Keep;
  /** Of Reeve, for the manifest. */
  readonly version: string;
  /** All that this version knows. */
  readonly migrations: readonly Migration[];
}
