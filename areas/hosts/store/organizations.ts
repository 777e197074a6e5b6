import type { Sql } from "@reeve/store";

export async function countOrganizations(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "select count(*)::int as count from resource where kind = 'Organization' and scope = '' and deleting_at is null",
  );
  return row?.count ?? 0;
}
