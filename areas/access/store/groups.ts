import type { Sql } from "@reeve/store";

export interface Claim {
  readonly provider: string;
  readonly value: string;
}

/** Makes the tables say who is in a group now. */
export async function writeGroup(
  sql: Sql,
  groupUid: string,
  memberUids: readonly string[],
  claims: readonly Claim[],
): Promise<void> {
  await sql.query("delete from group_member where group_uid = $1::uuid", [groupUid]);
  await sql.query(
    "insert into group_member (subject_uid, group_uid) select distinct m, $1::uuid from unnest($2::uuid[]) as m",
    [groupUid, memberUids],
  );
  await sql.query("delete from group_claim where group_uid = $1::uuid", [groupUid]);
  await sql.query(
    `insert into group_claim (provider, value, group_uid)
     select distinct c.provider, c.value, $1::uuid from unnest($2::text[], $3::text[]) as c (provider, value)`,
    [groupUid, claims.map((claim) => claim.provider), claims.map((claim) => claim.value)],
  );
}
