import type { ResourceEvent } from "@reeve/model";
import type { Sql } from "./sql.ts";

export function listEvents(sql: Sql, uid: string, limit: number): Promise<ResourceEvent[]> {
  return sql.query<ResourceEvent>(
    `select at, first_at as "firstAt", count, tone, reason, message from event where uid = $1::uuid order by at desc limit $2`,
    [uid, limit],
  );
}
