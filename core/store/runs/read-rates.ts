import type { Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { idAt, sourceOf } from "./read-list.ts";

/** What happened to runs in a span of time, and how many waited and ran at its end. */
export interface RunRate {
  /** When the span began. */
  readonly at: string;
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly queued: number;
  readonly running: number;
}

/** Of each scope, no more runs than this are counted, the newest. */
const countedMost = 100_000;

/**
 * The last hours, cut into spans. Runs that began up to twice that time ago are counted: what runs longer is rare, and a
 * chart of a day must not read a year.
 */
export async function readRunRates(
  sql: Sql,
  scopes: readonly Scope[],
  { now, hours, spans }: { now: number; hours: number; spans: number },
): Promise<RunRate[]> {
  const values: unknown[] = [];
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const source = sourceOf({ scopes }, put);
  const spanMs = (hours * 3_600_000) / spans;
  const last = Math.floor(now / spanMs);
  const from = put(idAt(new Date(now - 2 * hours * 3_600_000).toISOString()), "uuid");
  const rows = await sql.query<{ what: string; span: number; count: number }>(
    `with recursive ${source.with}
     seen as (select r.state, r.created_at, r.started_at, r.ended_at from src cross join lateral (
       select * from run r where ${source.of} and r.id >= ${from} order by r.id desc limit ${put(countedMost, "bigint")}) as r)
     select what, floor(extract(epoch from at) * 1000 / ${put(spanMs, "float8")})::bigint as span, count(*) as count from (
       select 'begun' as what, created_at as at from seen
       union all select 'started', started_at from seen where started_at is not null
       union all select state, ended_at from seen where ended_at is not null
       union all select 'unstarted', ended_at from seen where ended_at is not null and started_at is null) as v
     group by 1, 2`,
    values,
  );
  const counts = new Map(rows.map(({ what, span, count }) => [`${what} ${span}`, count]));
  const first = last - spans + 1;
  const before = (...words: string[]) =>
    rows
      .filter(({ what, span }) => words.includes(what) && span < first)
      .reduce((sum, { count }) => sum + count, 0);
  const ends = ["succeeded", "failed", "cancelled", "skipped"];
  let queued = before("begun") - before("started") - before("unstarted");
  let running = before("started") - before(...ends) + before("unstarted");
  return Array.from({ length: spans }, (_, at) => {
    const of = (what: string) => counts.get(`${what} ${first + at}`) ?? 0;
    const ended = ends.reduce((sum, state) => sum + of(state), 0);
    queued += of("begun") - of("started") - of("unstarted");
    running += of("started") - ended + of("unstarted");
    return {
      at: new Date((first + at) * spanMs).toISOString(),
      begun: of("begun"),
      succeeded: of("succeeded"),
      failed: of("failed"),
      cancelled: of("cancelled"),
      queued,
      running,
    };
  });
}
