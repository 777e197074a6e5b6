import type { Permission, Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** Puts a new secret in the place of the one before, which stops working with the same commit. */
export async function writeCredential(sql: Sql, tokenUid: string, hash: Buffer): Promise<void> {
  await sql.query(
    `insert into credential (token_uid, hash) values ($1::uuid, $2)
     on conflict (token_uid) do update set hash = excluded.hash, issued_at = now()`,
    [tokenUid, hash],
  );
}

/** Who a secret belongs to; `id` is the session or the token. */
export interface Identified {
  readonly id: string;
  readonly kind: "User" | "ServiceAccount";
  readonly scope: Scope;
  readonly name: string;
  readonly uid: string;
  /** How long until the secret stops working by itself, by the database's clock; null when it does not. */
  readonly leftMs: number | null;
}

export const subjectColumns = "u.kind, u.scope, u.name, u.uid";
export const subjectWorks =
  "u.deleting_at is null and coalesce((u.spec ->> 'disabled')::boolean, false) = false";

/** A replica's clock may differ; between two times of the database it does not matter. */
export function leftMs(expiresAt: string): string {
  return `(extract(epoch from ${expiresAt} - now()) * 1000)::float8 as "leftMs"`;
}

/** A token with where it stands, and whether its use is to be noted. */
export interface TokenUse {
  readonly tokenScope: Scope;
  readonly tokenName: string;
  readonly noteUse: boolean;
}

/** What a token was made for; null where that is all that its subject may. */
export interface MadeFor {
  readonly within: Scope | null;
  readonly allows: readonly Permission[] | null;
}

export async function findByToken(
  sql: Sql,
  hash: Buffer,
): Promise<(Identified & TokenUse & MadeFor) | undefined> {
  const rows = await sql.query<Identified & TokenUse & MadeFor>(
    `select t.uid as id, ${leftMs("(t.spec ->> 'expiresAt')::timestamptz")}, ${subjectColumns},
       t.scope as "tokenScope", t.name as "tokenName", t.spec ->> 'within' as within, t.status -> 'allows' as allows,
       coalesce((t.status ->> 'lastUsedAt')::timestamptz < now() - interval '1 hour', true) as "noteUse"
     from credential c
     join resource t on t.uid = c.token_uid and t.deleting_at is null
     join resource u on u.uid = t.owner_uid
     where c.hash = $1 and coalesce((t.spec ->> 'expiresAt')::timestamptz > now(), true) and ${subjectWorks}`,
    [hash],
  );
  return rows[0];
}
