/** The verbs of backups. Restoring is the server's own, because there is none to ask. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { backupCreate } from "./backup-create.ts";
import { backupDelete } from "./backup-delete.ts";
import { backupList } from "./backup-list.ts";
import { backupVerify } from "./backup-verify.ts";

export const backupVerbs: readonly AnyVerb[] = [backupCreate, backupList, backupVerify, backupDelete];
