import type { Sql } from "@reeve/store";

export interface BackfillRow {
  readonly id: string;
  readonly workflow: string;
  readonly schedule: string;
  readonly from: string;
  readonly until: string;
  readonly ticks: number;
  readonly by: string;
  readonly at: string;
}

const columns = `id, workflow, schedule, from_at as "from", until_at as "until", ticks, by, at`;

export async function insertBackfill(sql: Sql, row: Omit<BackfillRow, "at">): Promise<void> {
  await sql.query(
    `insert into backfill (id, workflow, schedule, from_at, until_at, ticks, by) values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.workflow, row.schedule, row.from, row.until, row.ticks, row.by],
  );
}

export async function readBackfill(sql: Sql, id: string): Promise<BackfillRow | undefined> {
  const rows = await sql.query<BackfillRow>(`select ${columns} from backfill where id = $1`, [id]);
  return rows[0];
}

/** How many of its runs are in which state. Those that were given to another backfill since, or are no longer kept, are not counted. */
export async function countBackfill(sql: Sql, id: string): Promise<Record<string, number>> {
  const rows = await sql.query<{ state: string; count: number }>(
    `select r.state, count(*) as count from schedule_tick t join run r on r.id = t.run where t.backfill = $1 group by r.state`,
    [id],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
