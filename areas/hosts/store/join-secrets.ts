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

/** Join tokens that still work and were issued before this time. */
export async function countOpenTokens(sql: Sql, issuedBefore: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from join_secret j join resource t on t.uid = j.token_uid and t.deleting_at is null
     where (t.status ->> 'issuedAt')::timestamptz < $1::timestamptz and (t.status ->> 'expiresAt')::timestamptz > now()
       and (t.status ->> 'used')::int < (t.spec ->> 'uses')::int`,
    [issuedBefore],
  );
  return row?.count ?? 0;
}
