import type { Sql } from "./sql.ts";

export const bucketCount = 64;

/** The bucket of a reconciler's key; the end of a uid is random. */
export function bucketOf(uid: string): number {
  return Number.parseInt(uid.slice(-2), 16) % bucketCount;
}

export interface Holder {
  readonly name: string;
  readonly session: string;
}

export interface BucketRow {
  readonly bucket: number;
  readonly holder: string | null;
  readonly live: boolean;
  readonly mine: boolean;
  readonly until: string;
  /** How long ago the lease ran out, by the database's clock; negative while it lasts. */
  readonly overMs: number;
}

export function listBuckets(sql: Sql, me: Holder): Promise<BucketRow[]> {
  return sql.query<BucketRow>(
    `select bucket, holder, until > now() as live, coalesce(session = $1::uuid, false) as mine, until,
       (extract(epoch from now() - until) * 1000)::float8 as "overMs"
     from bucket order by bucket`,
    [me.session],
  );
}

/** Renews what is still ours. A lease that ran out and was taken by somebody else is not renewed. */
export async function renewBuckets(sql: Sql, me: Holder, leaseMs: number): Promise<number[]> {
  const rows = await sql.query<{ bucket: number }>(
    `update bucket set until = now() + $2 * interval '1 millisecond' where session = $1::uuid returning bucket`,
    [me.session, leaseMs],
  );
  return rows.map((row) => row.bucket);
}

/** Takes buckets whose lease has run out; of two replicas that try, one gets it. */
export async function takeBuckets(
  sql: Sql,
  me: Holder,
  wanted: readonly number[],
  leaseMs: number,
): Promise<number[]> {
  const rows = await sql.query<{ bucket: number }>(
    `update bucket set holder = $1, session = $2::uuid, until = now() + $4 * interval '1 millisecond'
     where bucket = any($3::int[]) and until <= now() returning bucket`,
    [me.name, me.session, wanted, leaseMs],
  );
  return rows.map((row) => row.bucket);
}

/** Gives buckets back; the holder's name stays for a while, so that a restart gets the same ones. */
export async function releaseBuckets(
  sql: Sql,
  me: Holder,
  buckets: readonly number[] | "all",
): Promise<void> {
  await sql.query(
    `update bucket set until = now(), session = null where session = $1::uuid and ($2::int[] is null or bucket = any($2::int[]))`,
    [me.session, buckets === "all" ? null : buckets],
  );
}
