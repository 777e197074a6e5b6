import type { RunResult, Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";

type Row = Omit<RunResult, "startedAt" | "endedAt"> & {
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};

/** The newest runs of each of these definitions, as far as they lie in these scopes or below; newest first. */
export async function latestRuns(
  sql: Sql,
  uids: readonly string[],
  scopes: readonly Scope[],
  each: number,
): Promise<RunResult[]> {
  const rows = await sql.query<Row>(
    `select r.id, r.uid as of, r.state, r.why, r.created_at as "createdAt", r.started_at as "startedAt", r.ended_at as "endedAt"
     from unnest($1::uuid[]) as v (uid) cross join lateral (
       select * from run r where r.uid = v.uid and ($2::boolean or exists (
         select 1 from unnest($3::text[]) as g (granted) where r.scope = g.granted or r.scope like g.granted || '/%'))
       order by r.id desc limit $4) as r
     order by r.uid, r.id desc`,
    [uids, scopes.includes(""), scopes, each],
  );
  return rows.map(({ startedAt, endedAt, ...row }) => ({
    ...row,
    ...(startedAt === null ? {} : { startedAt }),
    ...(endedAt === null ? {} : { endedAt }),
  }));
}
