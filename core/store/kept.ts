import type { JsonObject } from "@reeve/model";
import type { Database } from "./database.ts";
import { lookNow } from "./looks.ts";
import type { Sql } from "./sql.ts";

/** A resource on an agent that keeps it. */
export interface KeptOn {
  readonly agent: string;
  /** Empty when the host is gone. */
  readonly host: string;
  readonly hostScope: string;
  /** Whether what was seen is what there is: the agent is heard. */
  readonly heard: boolean;
  readonly seen: JsonObject | null;
  readonly seenAt: string | null;
}

/** These agents keep the resource from now on, and may speak of it. */
export async function keepOn(sql: Sql, resource: string, agents: readonly string[]): Promise<void> {
  // A row that is there is not touched: who writes what was seen in it goes on to the look, which this transaction may have.
  await sql.query(
    `insert into kept (resource_uid, agent_uid) select $1::uuid, a from unnest($2::uuid[]) as a
     where not exists (select 1 from kept where resource_uid = $1::uuid and agent_uid = a) on conflict do nothing`,
    [resource, agents],
  );
}

export async function letGoOf(sql: Sql, resource: string, agents: readonly string[]): Promise<void> {
  await sql.query("delete from kept where resource_uid = $1::uuid and agent_uid = any($2::uuid[])", [
    resource,
    agents,
  ]);
}

export function readKept(sql: Sql, resource: string): Promise<KeptOn[]> {
  return sql.query<KeptOn>(
    `select k.agent_uid as agent, coalesce(a.name, '') as host, coalesce(a.scope, '') as "hostScope", k.seen, k.seen_at as "seenAt",
       coalesce(a.state = 'connected' and a.left_at is null and a.revoked_at is null, false) as heard
     from kept k left join agent a on a.uid = k.agent_uid where k.resource_uid = $1::uuid order by host, agent`,
    [resource],
  );
}

export interface Sighting {
  readonly uid: string;
  readonly seen: JsonObject;
}

export interface Sightings {
  readonly sightings: readonly Sighting[];
  /** All that the agent keeps: of what else it is said to keep, nothing is seen any more. */
  readonly only?: readonly string[];
}

/**
 * Records what an agent has seen, as far as it is new and the agent keeps it; those resources are due to be looked at. Says whether
 * there were any. Rows are locked by uid, because two agents may speak of the same resources.
 */
export function writeSightings(
  database: Database,
  agent: string,
  { sightings, only }: Sightings,
): Promise<boolean> {
  return database.transact(async (sql) => {
    const lost =
      only === undefined
        ? []
        : await sql.query<{ uid: string }>(
            `update kept set seen = null, seen_at = now() where agent_uid = $1::uuid and seen is not null
               and not (resource_uid = any($2::uuid[])) returning resource_uid as uid`,
            [agent, only],
          );
    const seen = await sql.query<{ uid: string }>(
      `update kept k set seen = v.seen, seen_at = now() from json_to_recordset($2::json) as v (uid uuid, seen jsonb)
       where k.resource_uid = v.uid and k.agent_uid = $1::uuid and k.seen is distinct from v.seen returning k.resource_uid as uid`,
      [agent, JSON.stringify(sightings)],
    );
    const uids = [...new Set([...lost, ...seen].map(({ uid }) => uid))].sort();
    for (const uid of uids) await lookNow(sql, uid);
    return uids.length > 0;
  });
}
