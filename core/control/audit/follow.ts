import { lastAudited } from "@reeve/store";
import type { Context } from "../context.ts";
import { type AuditQuery, filterOf, newestRecords } from "../operations/audit.ts";
import type { Reader } from "../operations/get.ts";
import type { RouteAnswer } from "../route.ts";
import { type Follower, following, stillHeld } from "../runs/follow.ts";
import type { Live, Shown } from "../runs/live.ts";

/** The newest records that fit, and new ones as they come. */
export async function followAudit(
  context: Context,
  live: Live,
  follower: Follower & Reader,
  query: AuditQuery,
  limit: number,
): Promise<NonNullable<RouteAnswer["events"]>> {
  const filter = await filterOf(context, follower, query);
  let last: { readonly newest: number | undefined; readonly shown: Shown } | undefined;
  const read = async (): Promise<Shown> => {
    // Between two looks mostly nothing is recorded: then nothing is read.
    const newest = await lastAudited(context.database, Number.MAX_SAFE_INTEGER);
    if (last !== undefined && last.newest === newest) return last.shown;
    const { items } = await newestRecords(context, filter, limit);
    const parts = items
      .toReversed()
      .map((record) => [String(record.revision), { event: "record", data: { record } as never }] as const);
    last = { newest, shown: { parts: new Map(parts), ended: false } };
    return last.shown;
  };
  return following(context, live, follower, stillHeld("audit:read", query.scope, filter.scopes), {
    key: `audit ${JSON.stringify([filter, limit])}`,
    read,
  });
}
