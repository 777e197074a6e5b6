/** The kind of the installation's own backups. */
import type { Kind } from "@reeve/model";
import { Backup } from "./backup.ts";

export { conditionOf, isTrue, shownSize, verdictOf } from "./backup.ts";
export { Backup };

export const backupKinds: readonly Kind[] = [Backup];
