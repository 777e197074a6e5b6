import type { Look, Outcome } from "@reeve/model";
import type { Sql } from "./sql.ts";

export interface DueLook {
  readonly uid: string;
  readonly kind: string;
  readonly due_at: string;
  readonly failures: number;
}

/**
 * What is due in these buckets of these kinds, longest waiting first: while an installation is upgraded, there may be some that this
 * replica does not know. The exact due time is text, to be compared by `endLook`.
 */
export function dueLooks(
  sql: Sql,
  { buckets, kinds }: { readonly buckets: readonly number[]; readonly kinds: readonly string[] },
  limit: number,
): Promise<DueLook[]> {
  return sql.query<DueLook>(
    `select uid, kind, due_at::text as due_at, failures from look
     where bucket = any($1::int[]) and due_at <= clock_timestamp() and kind = any($2::text[]) order by due_at limit $3`,
    [buckets, kinds, limit],
  );
}

/**
 * Records a look. When the resource was written meanwhile, its new due time stands: no wake is lost. Nor is one when another replica
 * looked at the same time, as it does when a bucket changes hands: of two times, the sooner one stands.
 */
export async function endLook(
  sql: Sql,
  due: DueLook,
  replica: string,
  end: { outcome: Outcome["kind"] | "paused"; why: string; againInMs: number | undefined },
): Promise<void> {
  await sql.query(
    `update look set looked_at = clock_timestamp(), outcome = $3, why = $4, replica = $5,
       failures = case when $3 = 'failed' then failures + 1 else 0 end,
       due_at = case when due_at = $2::timestamptz then clock_timestamp() + $6::float8 * interval '1 millisecond'
         else least(due_at, clock_timestamp() + $6::float8 * interval '1 millisecond') end
     where uid = $1::uuid`,
    [due.uid, due.due_at, end.outcome, end.why.slice(0, 2000), replica, end.againInMs ?? null],
  );
}

/** What is known of the resource has changed elsewhere: it is to be looked at. */
export async function lookNow(sql: Sql, uid: string): Promise<void> {
  await sql.query("update look set due_at = clock_timestamp() where uid = $1::uuid", [uid]);
}

export async function forgetLook(sql: Sql, uid: string): Promise<void> {
  await sql.query("delete from look where uid = $1::uuid", [uid]);
}

export async function readLook(sql: Sql, uid: string): Promise<Look | undefined> {
  const rows = await sql.query<Look>(
    `select looked_at as "lookedAt", due_at as "nextAt", outcome, why, failures, replica from look where uid = $1::uuid`,
    [uid],
  );
  return rows[0];
}

export interface LookRow extends Look {
  readonly kind: string;
  readonly address: string;
}

/** For `debug reconcilers`: what is overdue, failing or waiting, the worst first. */
export function listLooks(sql: Sql, limit: number): Promise<LookRow[]> {
  return sql.query<LookRow>(
    `select l.kind, case when r.scope = '' then r.name else r.scope || '/' || r.name end as address,
       l.looked_at as "lookedAt", l.due_at as "nextAt", l.outcome, l.why, l.failures, l.replica
     from look l join resource r on r.uid = l.uid
     where l.due_at is not null or l.outcome in ('failed', 'waiting') order by l.failures desc, l.due_at limit $1`,
    [limit],
  );
}
