import type { Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** The channel that was told. */
export interface ToldTo {
  readonly scope: Scope;
  readonly name: string;
}

/** Something that is not as it should be. There is one of each event of a resource at most. */
export interface Notice {
  readonly event: string;
  /** The same when it is told and when it is told that it is over. */
  readonly id: string;
  readonly forMs: number;
  readonly isTold: boolean;
  /** Who was told so far, and of which reason at last. */
  readonly told: readonly ToldTo[];
  readonly why: string | null;
}

export function readNotices(sql: Sql, resourceUid: string): Promise<Notice[]> {
  return sql.query<Notice>(
    `select event, id, floor(extract(epoch from now() - since) * 1000)::int8 as "forMs", told_at is not null as "isTold", told, why
     from notice where resource_uid = $1`,
    [resourceUid],
  );
}

/** False when another replica was first. */
export async function openNotice(
  sql: Sql,
  resourceUid: string,
  { event, id }: Pick<Notice, "event" | "id">,
): Promise<boolean> {
  const rows = await sql.query(
    `insert into notice (resource_uid, event, id) values ($1, $2, $3)
     on conflict (resource_uid, event) do nothing returning 1 as opened`,
    [resourceUid, event, id],
  );
  return rows.length > 0;
}

/** False when another replica was first, or it is over. */
export async function markTold(
  sql: Sql,
  resourceUid: string,
  event: string,
  { told, why }: Pick<Notice, "told" | "why">,
): Promise<boolean> {
  const rows = await sql.query(
    `update notice set told_at = now(), told = $3::jsonb, why = $4
     where resource_uid = $1 and event = $2 and (told_at is null or why is distinct from $4) returning 1 as told`,
    [resourceUid, event, JSON.stringify(told), why],
  );
  return rows.length > 0;
}

/** It is over: who was told of it, and how long it was so. Undefined when another replica was first. */
export async function endNotice(
  sql: Sql,
  resourceUid: string,
  event: string,
): Promise<{ readonly told: readonly ToldTo[]; readonly forMs: number } | undefined> {
  const [ended] = await sql.query<{ told: readonly ToldTo[]; forMs: number }>(
    `delete from notice where resource_uid = $1 and event = $2
     returning told, floor(extract(epoch from now() - since) * 1000)::int8 as "forMs"`,
    [resourceUid, event],
  );
  return ended;
}
