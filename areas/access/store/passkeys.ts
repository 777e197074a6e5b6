import type { Sql } from "@reeve/store";

export interface PasskeyRow {
  readonly id: string;
  readonly userUid: string;
  /** As the authenticator names it, base64url. */
  readonly credential: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** False when this authenticator's key is known already. */
export async function insertPasskey(
  sql: Sql,
  passkey: PasskeyRow & { readonly name: string },
): Promise<boolean> {
  const rows = await sql.query(
    `insert into passkey (id, user_uid, name, credential, public_key, counter, transports)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::jsonb) on conflict (credential) do nothing returning id`,
    [
      passkey.id,
      passkey.userUid,
      passkey.name,
      passkey.credential,
      passkey.publicKey,
      passkey.counter,
      JSON.stringify(passkey.transports),
    ],
  );
  return rows.length > 0;
}

const columns = `id, user_uid as "userUid", credential, public_key as "publicKey", counter, transports`;

export function listPasskeys(sql: Sql, userUid: string): Promise<PasskeyRow[]> {
  return sql.query<PasskeyRow>(`select ${columns} from passkey where user_uid = $1::uuid`, [userUid]);
}

export async function findPasskey(sql: Sql, credential: string): Promise<PasskeyRow | undefined> {
  return (
    await sql.query<PasskeyRow>(`select ${columns} from passkey where credential = $1`, [credential])
  )[0];
}

/** Notes the authenticator's counter; false when a later one was seen. One that does not count stays at 0. */
export async function usePasskey(sql: Sql, id: string, counter: number): Promise<boolean> {
  const rows = await sql.query(
    `update passkey set counter = $2, used_at = now() where id = $1::uuid and (counter < $2 or (counter = 0 and $2 = 0)) returning id`,
    [id, counter],
  );
  return rows.length > 0;
}
