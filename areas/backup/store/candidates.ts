import type { JsonObject } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** All backups that nobody has asked to delete. */
export function listBackupResources(sql: Sql): Promise<{ name: string; status: JsonObject }[]> {
  return sql.query<{ name: string; status: JsonObject }>(
    "select name, status from resource where kind = 'Backup' and scope = '' and deleting_at is null",
  );
}
