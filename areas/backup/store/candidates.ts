import type { JsonObject } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** All backups that nobody has asked to delete. */
export function listBackupResources(sql: Sql): Promise<{ name: string; status: JsonObject }[]> {
  return sql.query<{ name: string; status: JsonObject }>(
    "select name, status from resource where kind = 'Backup' and scope = '' and deleting_at is null",
  );
}

/** The name of the backup that was stored last, also when it is being deleted. */
export async function lastStored(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ name: string }>(
    `select name from resource where kind = 'Backup' and scope = '' and status -> 'takenAt' is not null
     order by status ->> 'takenAt' desc limit 1`,
  );
  return row?.name;
}
