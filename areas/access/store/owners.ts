import type { Sql } from "@reeve/store";

/** How many users own the installation, themselves or through a group, and are not disabled. */
export async function countOwners(sql: Sql): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `select count(distinct u.uid) as count
     from resource b
     left join group_member m on m.group_uid = b.owner_uid
     left join group_claim g on g.group_uid = b.owner_uid
     left join claim c on c.provider = g.provider and c.value = g.value
     join resource u on u.uid = b.owner_uid or u.uid = m.subject_uid or u.uid = c.user_uid
     where b.kind = 'RoleBinding' and b.scope = '' and b.spec ->> 'role' = 'owner' and b.deleting_at is null
       and u.kind = 'User' and u.deleting_at is null and coalesce((u.spec ->> 'disabled')::boolean, false) = false`,
  );
  return rows[0]?.count ?? 0;
}
