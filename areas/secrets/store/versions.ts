import type { Sealed, Sql } from "@reeve/store";

export async function readVersion(sql: Sql, secretUid: string, version: number): Promise<Sealed | undefined> {
  const rows = await sql.query<{ sealed: Sealed }>(
    "select sealed from secret_version where secret_uid = $1::uuid and version = $2",
    [secretUid, version],
  );
  return rows[0]?.sealed;
}

/** Adds a version and lets go of those that are no longer kept. */
export async function writeVersion(
  sql: Sql,
  secretUid: string,
  version: number,
  sealed: Sealed,
  keep: number,
): Promise<void> {
  await sql.query(
    "insert into secret_version (secret_uid, version, sealed) values ($1::uuid, $2, $3::jsonb)",
    [secretUid, version, JSON.stringify(sealed)],
  );
  await sql.query("delete from secret_version where secret_uid = $1::uuid and version <= $2", [
    secretUid,
    version - keep,
  ]);
}
