import { meanMs, sampleMs } from "@reeve/model";
import type { Sql } from "../sql.ts";
import type { UsageWindow } from "./write.ts";

/** Something on a host that uses something: the host itself, or what it keeps. */
export interface UsagePlace {
  readonly uid: string;
  readonly agent: string;
  readonly host: string;
}

/** Where these resources use something: a host on itself, others where they are kept. */
export function usagePlaces(sql: Sql, uids: readonly string[]): Promise<UsagePlace[]> {
  return sql.query<UsagePlace>(
    `select a.uid, a.uid as agent, a.name as host from agent a where a.uid = any($1::uuid[])
     union all
     select k.resource_uid as uid, a.uid as agent, a.name as host from kept k join agent a on a.uid = k.agent_uid
     where k.resource_uid = any($1::uuid[]) order by host, agent`,
    [uids],
  );
}

/** What one of the things of a window has used. */
export interface UsagePart {
  readonly fromMs: number;
  readonly series: Buffer;
}

/** Windows that begin at this time or later and before the other, the oldest first. */
export function readUsage(
  sql: Sql,
  { agent, uid }: Pick<UsagePlace, "agent" | "uid">,
  step: number,
  fromMs: number,
  toMs: number,
): Promise<UsagePart[]> {
  return sql.query<UsagePart>(
    `select extract(epoch from from_at)::float8 * 1000 as "fromMs", series[array_position(uids, $2::uuid)] as series
     from usage_window where agent_uid = $1::uuid and step = $3 and from_at >= $4::timestamptz and from_at < $5::timestamptz
       and $2::uuid = any(uids) order by from_at`,
    [agent, uid, step, new Date(fromMs).toISOString(), new Date(toMs).toISOString()],
  );
}

/** The latest window of each place that has one of the last minutes. */
export function latestUsage(
  sql: Sql,
  places: readonly UsagePlace[],
  minutes: number,
): Promise<(UsagePart & { readonly at: number })[]> {
  return sql.query(
    `select v.at::int as at, extract(epoch from w.from_at)::float8 * 1000 as "fromMs", w.series[array_position(w.uids, v.uid)] as series
     from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as v (agent, uid, at)
     cross join lateral (
       select u.from_at, u.uids, u.series from usage_window u
       where u.agent_uid = v.agent and u.step = $4 and u.from_at > now() - $5 * interval '1 minute'
       order by u.from_at desc limit 1) as w
     where v.uid = any(w.uids)`,
    [
      places.map(({ agent }) => agent),
      places.map(({ uid }) => uid),
      places.map((_, at) => at),
      sampleMs,
      minutes,
    ],
  );
}

/** Agents with samples in this hour and no means of them. */
export async function agentsToFold(sql: Sql, hourMs: number, limit: number): Promise<string[]> {
  const rows = await sql.query<{ agent: string }>(
    `select distinct w.agent_uid as agent from usage_window w where w.step = $1 and w.from_at >= $3::timestamptz
       and w.from_at < $3::timestamptz + interval '1 hour' and not exists (
         select 1 from usage_window m where m.agent_uid = w.agent_uid and m.step = $2 and m.from_at = $3::timestamptz) limit $4`,
    [sampleMs, meanMs, new Date(hourMs).toISOString(), limit],
  );
  return rows.map(({ agent }) => agent);
}

/** All samples of an agent in an hour. */
export async function readHour(sql: Sql, agent: string, hourMs: number): Promise<UsageWindow[]> {
  const rows = await sql.query<{ fromMs: number; uids: string[]; series: Buffer[] }>(
    `select extract(epoch from from_at)::float8 * 1000 as "fromMs", uids, series from usage_window
     where agent_uid = $1::uuid and step = $2 and from_at >= $3::timestamptz and from_at < $3::timestamptz + interval '1 hour'
     order by from_at`,
    [agent, sampleMs, new Date(hourMs).toISOString()],
  );
  return rows.map(({ fromMs, uids, series }) => ({
    agent,
    fromMs,
    of: uids.map((uid, at) => ({ uid, series: series[at] ?? Buffer.alloc(0) })),
  }));
}
