import type { Scope } from "@reeve/model";
import type { Address, Sql } from "@reeve/store";

export interface UseRow {
  readonly pointer: string;
  readonly name: string;
  readonly key: string;
  /** Where the secret lives, if the reference says it. */
  readonly scope?: Scope;
}

/** What a resource refers to from now on. */
export async function replaceUses(
  sql: Sql,
  user: { readonly uid: string; readonly scope: Scope },
  uses: readonly UseRow[],
): Promise<void> {
  await sql.query("delete from secret_use where user_uid = $1::uuid", [user.uid]);
  if (uses.length === 0) return;
  await sql.query(
    `insert into secret_use (user_uid, scope, pointer, name, key, secret_scope)
     select distinct $1::uuid, $2, x.pointer, x.name, x.key, x.scope
     from json_to_recordset($3::json) as x (pointer text, name text, key text, scope text)`,
    [user.uid, user.scope, JSON.stringify(uses)],
  );
}

/**
 * The resources that refer to a secret: by its name from its scope or below, unless another of that name is nearer to them,
 * or by its scope and name.
 */
export function usesOfSecret(
  sql: Sql,
  secret: { readonly scope: Scope; readonly name: string },
  limit: number,
): Promise<(Address & { pointer: string })[]> {
  return sql.query(
    `select distinct r.kind, r.scope, r.name, u.pointer from secret_use u join resource r on r.uid = u.user_uid
     where u.name = $1 and ($2 = '' or u.scope = $2 or u.scope like $2 || '/%') and coalesce(u.secret_scope, $2) = $2
     and (u.secret_scope is not null or not exists (
       select 1 from resource n where n.kind = 'Secret' and n.name = $1 and length(n.scope) > length($2)
       and (u.scope = n.scope or u.scope like n.scope || '/%')))
     order by r.kind, r.scope, r.name, u.pointer limit $3`,
    [secret.name, secret.scope, limit],
  );
}
