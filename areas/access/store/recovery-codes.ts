import type { Sql } from "@reeve/store";

/** Puts new codes in the place of the old ones. */
export async function replaceRecoveryCodes(
  sql: Sql,
  userUid: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql.query("delete from recovery_code where user_uid = $1::uuid", [userUid]);
  await sql.query("insert into recovery_code (user_uid, hash) select $1::uuid, unnest($2::bytea[])", [
    userUid,
    hashes,
  ]);
}

export async function countRecoveryCodes(sql: Sql, userUid: string): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    "select count(*) as count from recovery_code where user_uid = $1::uuid",
    [userUid],
  );
  return rows[0]?.count ?? 0;
}

export async function hasRecoveryCode(sql: Sql, userUid: string, hash: Buffer): Promise<boolean> {
  const rows = await sql.query("select 1 as has from recovery_code where user_uid = $1::uuid and hash = $2", [
    userUid,
    hash,
  ]);
  return rows.length > 0;
}

/** A code works once; false when it was used meanwhile. */
export async function useRecoveryCode(sql: Sql, userUid: string, hash: Buffer): Promise<boolean> {
  const rows = await sql.query(
    "delete from recovery_code where user_uid = $1::uuid and hash = $2 returning 1 as used",
    [userUid, hash],
  );
  return rows.length > 0;
}
