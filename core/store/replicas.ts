import type { Holder } from "./buckets.ts";
import type { Sql } from "./sql.ts";

export interface Replica {
  readonly name: string;
  readonly session: string;
  readonly peerAddress: string;
  readonly certificate: string;
  readonly roles: readonly string[];
  readonly version: string;
  readonly startedAt: string;
  readonly seenAt: string;
  readonly live: boolean;
}

/** How long a replica counts as there without having been seen. */
export const replicaLeaseMs = 10_000;

export async function announceReplica(
  sql: Sql,
  me: Holder & { peerAddress: string; certificate: string; roles: readonly string[]; version: string },
): Promise<void> {
  await sql.query(
    `insert into replica (name, session, peer_address, certificate, roles, version) values ($1, $2::uuid, $3, $4, $5::jsonb, $6)
     on conflict (name) do update set session = excluded.session, peer_address = excluded.peer_address,
       certificate = excluded.certificate, roles = excluded.roles, version = excluded.version, started_at = now(), seen_at = now()`,
    [me.name, me.session, me.peerAddress, me.certificate, JSON.stringify(me.roles), me.version],
  );
}

/** False when another process has taken this replica's name. */
export async function touchReplica(sql: Sql, me: Holder): Promise<boolean> {
  const rows = await sql.query(
    "update replica set seen_at = now() where name = $1 and session = $2::uuid returning name",
    [me.name, me.session],
  );
  return rows.length > 0;
}

export async function showCertificate(sql: Sql, me: Holder, certificate: string): Promise<void> {
  await sql.query("update replica set certificate = $3 where name = $1 and session = $2::uuid", [
    me.name,
    me.session,
    certificate,
  ]);
}

export async function withdrawReplica(sql: Sql, me: Holder): Promise<void> {
  await sql.query("delete from replica where name = $1 and session = $2::uuid", [me.name, me.session]);
}

export function listReplicas(sql: Sql): Promise<Replica[]> {
  return sql.query<Replica>(
    `select name, session, peer_address as "peerAddress", certificate, roles, version, started_at as "startedAt",
       seen_at as "seenAt", seen_at > now() - $1 * interval '1 millisecond' as live from replica order by name`,
    [replicaLeaseMs],
  );
}
