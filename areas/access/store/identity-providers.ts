import type { Sealed, SealedColumn, Sql } from "@reeve/store";

export interface OfferedProvider {
  readonly name: string;
  readonly displayName: string | null;
}

/** Those that the sign-in page offers. */
export function listOfferedProviders(sql: Sql): Promise<OfferedProvider[]> {
  return sql.query<OfferedProvider>(
    `select name, spec ->> 'displayName' as "displayName" from resource
     where kind = 'IdentityProvider' and scope = '' and deleting_at is null
       and coalesce((spec ->> 'disabled')::boolean, false) = false
     order by name`,
  );
}

export const providerSecretColumn: SealedColumn = {
  table: "provider_secret",
  key: "provider_uid",
  column: "secret",
};

export async function writeProviderSecret(sql: Sql, providerUid: string, secret: Sealed): Promise<void> {
  await sql.query(
    `insert into provider_secret (provider_uid, secret) values ($1::uuid, $2::jsonb)
     on conflict (provider_uid) do update set secret = excluded.secret`,
    [providerUid, JSON.stringify(secret)],
  );
}

export async function readProviderSecret(sql: Sql, providerUid: string): Promise<Sealed | undefined> {
  const rows = await sql.query<{ secret: Sealed }>(
    "select secret from provider_secret where provider_uid = $1::uuid",
    [providerUid],
  );
  return rows[0]?.secret;
}
