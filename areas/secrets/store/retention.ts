import type { RetentionRule, Sql } from "@reeve/store";

/** Nobody reaches the values of a secret that is gone, nor counts the uses of a resource that is; here they are swept away. */
export const secretsRetention: readonly RetentionRule[] = [
  { name: "values of deleted secrets", prune: orphans("secret_version", "secret_uid") },
  { name: "uses by deleted resources", prune: orphans("secret_use", "user_uid") },
];

function orphans(table: string, column: string): RetentionRule["prune"] {
  return async (sql: Sql, limit: number) => {
    const rows = await sql.query(
      `delete from ${table} where ${column} in (
         select t.${column} from ${table} t where not exists (select 1 from resource r where r.uid = t.${column}) limit $1) returning 1 as gone`,
      [limit],
    );
    return rows.length;
  };
}
