import type { Sql } from "@reeve/store";

/** In the place of the one before. */
export async function writeJoinSecret(sql: Sql, tokenUid: string, hash: Buffer): Promise<void> {
  await sql.query(
    `insert into join_secret (token_uid, hash) values ($1::uuid, $2)
     on conflict (token_uid) do update set hash = excluded.hash`,
    [tokenUid, hash],
  );
}

export async function isJoinSecret(sql: Sql, tokenUid: string, hash: Buffer): Promise<boolean> {
  const rows = await sql.query(
    "select 1 as found from join_secret where token_uid = $1::uuid and hash = $2",
    [tokenUid, hash],
  );
  return rows.length > 0;
}
