import { contains, type Scope, selfAndAncestors } from "@reeve/model";
import type { Sql } from "../sql.ts";

/** A quota that has no room for a run. */
export interface FullQuota {
  readonly scope: Scope;
}

/** A quota that limits runs, as the rows of this transaction have it. */
interface RunQuota extends FullQuota {
  readonly uid: string;
  readonly most: number;
  /** Runs that may be begun without looking; less than that is never true, as runs that end are not noted. */
  room: number;
  /** Places taken here, for runs that are not written yet. */
  taken: number;
  counted: boolean;
}

/**
 * Takes a place for a run of each of these scopes, in their order; says for each which quota has none. Runs are counted when the
 * places known of are used up, and not before: to begin one is to read a row and write it, and to end one is nothing.
 * Runs that a step of another run began have no place of their own: to refuse them would leave their parent half done.
 */
export async function takeRoom(
  sql: Sql,
  kind: string,
  scopes: readonly Scope[],
): Promise<(FullQuota | undefined)[]> {
  const quotas = await lockQuotas(sql, kind, scopes);
  const verdicts: (FullQuota | undefined)[] = [];
  for (const scope of scopes) {
    const holding = quotas.filter((quota) => contains(quota.scope, scope));
    for (const quota of holding) if (quota.room < 1 && !quota.counted) await count(sql, quota);
    const full = holding.find(({ room }) => room < 1);
    verdicts.push(full);
    if (full !== undefined) continue;
    for (const quota of holding) {
      quota.room--;
      quota.taken++;
    }
  }
  const changed = quotas.filter(({ taken, counted }) => taken > 0 || counted);
  if (changed.length > 0)
    await sql.query(
      `update run_room u set most = x.most, room = x.room
       from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as x (quota, most, room) where u.quota = x.quota`,
      [changed.map(({ uid }) => uid), changed.map(({ most }) => most), changed.map(({ room }) => room)],
    );
  return verdicts;
}

/** Runs of the scope and below that have not ended, those aside that other runs began. */
export async function countOpenRuns(sql: Sql, scope: Scope): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*) as count from run where ended_at is null and parent_run is null
       and ($1::text = '' or scope = $1::text or scope like $1::text || '/%')`,
    [scope],
  );
  return row?.count ?? 0;
}

async function count(sql: Sql, quota: RunQuota): Promise<void> {
  quota.room = quota.most - (await countOpenRuns(sql, quota.scope)) - quota.taken;
  quota.counted = true;
}

async function lockQuotas(sql: Sql, kind: string, scopes: readonly Scope[]): Promise<RunQuota[]> {
  const holding = [...new Set(scopes.flatMap(selfAndAncestors))];
  const found = await sql.query<{ uid: string; scope: Scope; most: number }>(
    `select uid, scope, (spec -> 'limits' ->> 'runs')::bigint as most from resource
     where kind = $1 and scope = any($2::text[]) and spec -> 'limits' ->> 'runs' is not null order by uid`,
    [kind, holding],
  );
  if (found.length === 0) return [];
  const uids = found.map(({ uid }) => uid);
  await sql.query(
    "insert into run_room (quota, most, room) select quota, 0, 0 from unnest($1::uuid[]) as x (quota) on conflict (quota) do nothing",
    [uids],
  );
  // Counting comes after, in a statement of its own: in the same one, the count would be older than the lock.
  const kept = await sql.query<{ quota: string; most: number; room: number }>(
    "select quota, most, room from run_room where quota = any($1::uuid[]) order by quota for update",
    [uids],
  );
  const rooms = new Map(kept.map((row) => [row.quota, row]));
  return found.map((quota) => {
    const known = rooms.get(quota.uid);
    // Under another limit it was counted for that one.
    const room = known?.most === quota.most ? known.room : 0;
    return { ...quota, room, taken: 0, counted: false };
  });
}
