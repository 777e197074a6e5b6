import type { Sql } from "@reeve/store";

/** What an identity provider says of a user takes the place of what it said before. */
export async function replaceClaims(
  sql: Sql,
  userUid: string,
  provider: string,
  values: readonly string[],
): Promise<void> {
  await sql.query("delete from claim where user_uid = $1::uuid and provider = $2", [userUid, provider]);
  await sql.query(
    "insert into claim (user_uid, provider, value) select distinct $1::uuid, $2, v from unnest($3::text[]) as v",
    [userUid, provider, values],
  );
}
