import { newUid } from "@reeve/model";
import type { Sql } from "@reeve/store";

export interface FederatedUser {
  readonly uid: string;
  readonly name: string;
  /** Disabled, or being deleted. */
  readonly barred: boolean;
}

/** Whose identity this is. One whose user is gone is nobody's. */
export async function findFederatedUser(
  sql: Sql,
  providerUid: string,
  subject: string,
): Promise<FederatedUser | undefined> {
  const rows = await sql.query<FederatedUser>(
    `select u.uid, u.name, u.deleting_at is not null or coalesce((u.spec ->> 'disabled')::boolean, false) as barred
     from federated_identity f join resource u on u.uid = f.user_uid
     where f.provider_uid = $1::uuid and f.subject = $2`,
    [providerUid, subject],
  );
  return rows[0];
}

/** Gives an identity to a user; false when it belongs to somebody already. */
export async function linkIdentity(
  sql: Sql,
  { providerUid, subject }: { readonly providerUid: string; readonly subject: string },
  userUid: string,
): Promise<boolean> {
  const rows = await sql.query(
    `insert into federated_identity (id, provider_uid, subject, user_uid) values ($1::uuid, $2::uuid, $3, $4::uuid)
     on conflict (provider_uid, subject) do update set user_uid = excluded.user_uid, linked_at = now(), seen_at = now()
     where not exists (select 1 from resource u where u.uid = federated_identity.user_uid)
     returning 1 as linked`,
    [newUid(), providerUid, subject, userUid],
  );
  return rows.length === 1;
}

export async function seeIdentity(sql: Sql, providerUid: string, subject: string): Promise<void> {
  await sql.query(
    "update federated_identity set seen_at = now() where provider_uid = $1::uuid and subject = $2",
    [providerUid, subject],
  );
}

export interface IdentityRow {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly linkedAt: string;
  readonly seenAt: string;
}

export function listIdentities(sql: Sql, userUid: string): Promise<IdentityRow[]> {
  return sql.query<IdentityRow>(
    `select f.id, p.name as provider, f.subject, f.linked_at as "linkedAt", f.seen_at as "seenAt"
     from federated_identity f join resource p on p.uid = f.provider_uid where f.user_uid = $1::uuid order by p.name, f.id`,
    [userUid],
  );
}

export async function unlinkIdentity(sql: Sql, userUid: string, id: string): Promise<void> {
  await sql.query("delete from federated_identity where id = $1::uuid and user_uid = $2::uuid", [
    id,
    userUid,
  ]);
}
