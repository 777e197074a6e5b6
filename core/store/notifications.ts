import type { JsonObject, Scope } from "@reeve/model";
import { keepJson, opened } from "./at-rest/at-rest.ts";
import { messages } from "./at-rest/places.ts";
import { older, type RetentionRule } from "./retention.ts";
import type { Sql } from "./sql.ts";

/** Something to be told to a channel. Its id stays the same over all tries, so that a receiver can tell a repeat. */
export interface NewNotification {
  readonly id: string;
  readonly scope: Scope;
  readonly channel: string;
  readonly message: Message;
}

/** What is told, whatever the channel. */
export interface Message {
  /** `failed`, `late`, `test` … */
  readonly event: string;
  /** One line. */
  readonly title: string;
  readonly text: string;
  /** Below the address people use. */
  readonly path?: string;
  /** The attempt whose last lines are told too, as they are when it is sent. */
  readonly log?: { readonly run: string; readonly seq: number; readonly epoch: number };
  /** What it is about, for programs. */
  readonly about: JsonObject;
}

/** Writes them in the caller's transaction: they are told if and only if it commits. */
export async function notify(sql: Sql, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length === 0) return;
  await sql.query(
    `insert into notification (id, scope, channel, message, state)
     select v.id, v.scope, v.channel, v.message, 'waiting'
     from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as v (id, scope, channel, message)`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.scope),
      rows.map((row) => row.channel),
      rows.map(({ id, scope, message }) =>
        JSON.stringify(keepJson(sql.atRest?.sealer(scope), messages, [id], message as unknown as JsonObject)),
      ),
    ],
  );
}

export interface DueNotification extends NewNotification {
  readonly tries: number;
  readonly at: string;
}

/** A channel as those name it who notify: the nearest of this name from the scope upwards. */
export type NamedChannel = Pick<NewNotification, "scope" | "channel">;

/**
 * The names that something is due for, what has waited longest first. It goes from name to name of the index, and not through all
 * that waits: a channel that is down may have very much of that.
 */
export function listDueChannels(sql: Sql): Promise<NamedChannel[]> {
  return sql.query<NamedChannel>(
    `with recursive named (scope, channel, due_at) as (
       (select scope, channel, due_at from notification where state = 'waiting' order by scope, channel, due_at limit 1)
       union all
       select n.scope, n.channel, n.due_at from named p cross join lateral (
         select scope, channel, due_at from notification
         where state = 'waiting' and (scope, channel) > (p.scope, p.channel) order by scope, channel, due_at limit 1) n)
     select scope, channel from named where due_at <= now() order by due_at`,
  );
}

/** Takes some that are due, for so long: if this replica dies, another one tries again after that. */
export async function takeNotifications(
  sql: Sql,
  { scope, channel }: NamedChannel,
  limit: number,
  heldMs: number,
): Promise<DueNotification[]> {
  const rows = await sql.query<DueNotification>(
    `update notification set tries = tries + 1, due_at = now() + $4 * interval '1 millisecond'
     where id in (select id from notification
       where state = 'waiting' and scope = $1 and channel = $2 and due_at <= now()
       order by due_at limit $3 for update skip locked)
     returning id, scope, channel, message, tries, at`,
    [scope, channel, limit, heldMs],
  );
  return opened(sql, messages, rows, "message", ({ id }) => [id]);
}

export interface Delivery {
  readonly id: string;
  readonly channelUid: string | null;
  readonly state: "waiting" | "delivered" | "dead";
  readonly againMs: number;
  readonly trouble: string;
}

export async function endDelivery(
  sql: Sql,
  { id, channelUid, state, againMs, trouble }: Delivery,
): Promise<void> {
  await sql.query(
    `update notification set state = $2, channel_uid = coalesce($3, channel_uid), trouble = $4,
       due_at = now() + $5 * interval '1 millisecond', ended_at = case when $2 = 'waiting' then null else now() end
     where id = $1 and state = 'waiting'`,
    [id, state, channelUid, trouble, againMs],
  );
}

/** How it goes with a channel: what waits after a failure, what was given up, and the latest of each. */
export interface ChannelFigures {
  readonly waiting: number;
  readonly dead: number;
  readonly trouble: string;
  readonly deliveredAt: string | null;
}

export async function readChannelFigures(sql: Sql, channelUid: string): Promise<ChannelFigures> {
  const [row] = await sql.query<ChannelFigures>(
    `select (select count(*) from notification where channel_uid = $1 and state = 'waiting') as waiting,
       (select count(*) from notification where channel_uid = $1 and state = 'dead') as dead,
       coalesce((select trouble from notification where channel_uid = $1 and state in ('waiting', 'dead')
         order by id desc limit 1), '') as trouble,
       (select ended_at from notification where channel_uid = $1 and state = 'delivered' order by id desc limit 1)
         as "deliveredAt"`,
    [channelUid],
  );
  return row as ChannelFigures;
}

/** Tries once more what was given up. */
export async function reviveNotifications(sql: Sql, channelUid: string): Promise<void> {
  await sql.query(
    `update notification set state = 'waiting', tries = 0, due_at = now(), ended_at = null
     where channel_uid = $1 and state = 'dead'`,
    [channelUid],
  );
}

export const notificationRetention: RetentionRule = {
  name: "notifications",
  prune: older("notification", "id", 14, "ended_at"),
};
