import { replicaLeaseMs } from "./replicas.ts";
import type { Sealed } from "./sealed.ts";
import type { Sql } from "./sql.ts";

export interface AuthorityRow {
  readonly id: string;
  /** PEM. */
  readonly certificate: string;
  /** The same name and key, signed by the authority before; null for the first one. */
  readonly vouched: string | null;
  readonly signingKey: Sealed;
  /** The one before is trusted until nobody needs it. */
  readonly state: "current" | "trusted";
  readonly madeAt: string;
}

type NewAuthority = Omit<AuthorityRow, "state" | "madeAt">;

/** The one that signs comes first. */
export function listAuthorities(sql: Sql): Promise<AuthorityRow[]> {
  return sql.query<AuthorityRow>(
    `select id, certificate, vouched, signing_key as "signingKey", state, made_at as "madeAt" from authority
     order by state, made_at desc`,
  );
}

/** Makes this the installation's first authority; without effect when it has one. */
export async function insertFirstAuthority(sql: Sql, row: NewAuthority): Promise<void> {
  await sql.query(
    `insert into authority (id, certificate, signing_key, state) values ($1::uuid, $2, $3, 'current') on conflict do nothing`,
    [row.id, row.certificate, row.signingKey],
  );
}

/** Puts this authority in the place of the current one. False when that is not the current one, or another is still trusted. */
export async function replaceAuthority(sql: Sql, from: string, row: NewAuthority): Promise<boolean> {
  const retired = await sql.query(
    `update authority set state = 'trusted' where id = $1::uuid and state = 'current'
       and not exists (select 1 from authority where state = 'trusted') returning id`,
    [from],
  );
  if (retired.length === 0) return false;
  await sql.query(
    `insert into authority (id, certificate, vouched, signing_key, state) values ($1::uuid, $2, $3, $4, 'current')`,
    [row.id, row.certificate, row.vouched, row.signingKey],
  );
  return true;
}

export async function deleteAuthority(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(
    "delete from authority where id = $1::uuid and state = 'trusted' returning id",
    [id],
  );
  return rows.length > 0;
}

/** Agents that have not shown an identity of this authority: they may trust only the one before. */
export async function agentsWithout(sql: Sql, authority: string, renewableDays: number): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from agent a join resource r on r.uid = a.uid and r.deleting_at is null
     where a.revoked_at is null and a.identity_expires_at > now() - $2 * interval '1 day'
       and (a.identity_authority is distinct from $1::uuid or a.identity_used_at is null)`,
    [authority, renewableDays],
  );
  return row?.count ?? 0;
}

/** The certificates that live replicas show. */
export async function liveCertificates(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ certificate: string }>(
    "select certificate from replica where seen_at > now() - $1 * interval '1 millisecond'",
    [replicaLeaseMs],
  );
  return rows.map(({ certificate }) => certificate);
}
