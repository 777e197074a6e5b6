import type { RetentionRule } from "../retention.ts";
import type { Sql } from "../sql.ts";

/** How long and how much output is kept. When a run goes, its output goes with it. */
export interface KeepLogs {
  readonly days: number;
  /** Of all runs of one definition together, compressed; the oldest go first. */
  readonly bytesOfDefinition: number;
  /** There is an archive: nothing goes from here before it is there, and who wrote it stays with the run. */
  readonly archived?: boolean;
}

export function logRetention({ days, bytesOfDefinition, archived = false }: KeepLogs): RetentionRule[] {
  return [
    {
      name: "logs",
      prune: async (sql, limit) => removeLogs(sql, await pastTime(sql, days, archived, limit), limit),
    },
    {
      name: "logs of definitions that write much",
      prune: async (sql, limit) =>
        removeLogs(sql, await beyondBytes(sql, bytesOfDefinition, archived, limit), limit),
    },
  ];
}

async function pastTime(sql: Sql, days: number, archived: boolean, limit: number): Promise<string[]> {
  const rows = await sql.query<{ run: string }>(
    `select l.run from log_run l where l.at < now() - $1 * interval '1 day'
       and (l.removed_to < l.chunks or l.chunks = 0) and (not $3 or l.archived_to >= l.chunks)
       and not exists (select 1 from run r where r.id = l.run and r.ended_at is null) order by l.at limit $2`,
    [days, limit, archived],
  );
  return rows.map(({ run }) => run);
}

/** Only definitions with new output are looked at: the others were, when they had some. */
async function beyondBytes(sql: Sql, most: number, archived: boolean, limit: number): Promise<string[]> {
  const rows = await sql.query<{ run: string }>(
    `select v.run from (
       select l.run, l.archived_to, l.removed_to, l.chunks, sum(l.bytes) over (partition by l.uid order by l.run desc) - l.bytes as newer
       from (select distinct uid from log_run where at > now() - interval '10 minutes') as u
       join log_run l on l.uid = u.uid) as v
     join run r on r.id = v.run
     where v.newer > $1 and r.ended_at is not null
       and v.removed_to < v.chunks and (not $3 or v.archived_to >= v.chunks) order by v.run limit $2`,
    [most, limit, archived],
  );
  return rows.map(({ run }) => run);
}

async function removeLogs(sql: Sql, runs: readonly string[], limit: number): Promise<number> {
  if (runs.length === 0) return 0;
  const gone = await sql.query(
    `delete from log_chunk where (run, number) in (
       select run, number from log_chunk where run = any($1::uuid[]) limit $2) returning 1 as gone`,
    [runs, limit],
  );
  // Others may be left: they are for the next batch.
  if (gone.length >= limit) return limit;
  const kept = await sql.query<{ run: string }>(
    `update log_run set removed_to = chunks, bytes = 0
     where run = any($1::uuid[]) and chunks > 0 and archived_to >= chunks returning run`,
    [runs],
  );
  const others = runs.filter((one) => !kept.some(({ run }) => run === one));
  await sql.query("delete from log_attempt where run = any($1::uuid[])", [others]);
  await sql.query("delete from log_run where run = any($1::uuid[])", [others]);
  return runs.length;
}
