import type { Sql } from "@reeve/store";

/** How many steps an agent holds. */
export async function countHeldSteps(sql: Sql, agentUid: string): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    "select count(*) as count from step where agent = $1::uuid and awaits = 'agent' and state in ('offered', 'running')",
    [agentUid],
  );
  return rows[0]?.count ?? 0;
}
