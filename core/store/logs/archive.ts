import type { Sql } from "../sql.ts";

/** Output that the archive does not have: of ended runs, when nothing has come for a while. */
export interface ToArchive {
  readonly run: string;
  /** The last chunk that it has. */
  readonly archivedTo: number;
  readonly chunks: number;
}

export function readToArchive(sql: Sql, quietMs: number, limit: number): Promise<ToArchive[]> {
  return sql.query<ToArchive>(
    `select l.run, l.archived_to as "archivedTo", l.chunks from log_run l
     where l.archived_to < l.chunks and l.at < now() - $1 * interval '1 millisecond'
       and exists (select 1 from run r where r.id = l.run and r.ended_at is not null)
     order by l.at limit $2`,
    [quietMs, limit],
  );
}

export async function markArchived(sql: Sql, run: string, to: number): Promise<void> {
  await sql.query("update log_run set archived_to = $2, archived_at = now() where run = $1", [run, to]);
}

/** The newest run of which the archive has output. */
export async function readLastArchived(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ run: string }>(
    "select run from log_run where archived_to > 0 order by run desc limit 1",
  );
  return row?.run;
}

/** Up to which chunk a run's output is in the archive only. */
export async function readRemoved(sql: Sql, run: string): Promise<number> {
  const [row] = await sql.query<{ removed: number }>(
    "select removed_to as removed from log_run where run = $1",
    [run],
  );
  return row?.removed ?? 0;
}
