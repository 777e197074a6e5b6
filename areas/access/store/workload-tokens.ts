import type { Scope } from "@reeve/model";
import type { Sql } from "@reeve/store";
import { type Identified, leftMs, subjectColumns, subjectWorks } from "./credentials.ts";

export interface NewWorkloadToken {
  readonly id: string;
  readonly hash: Buffer;
  readonly issuerUid: string;
  readonly issuerGeneration: number;
  readonly accountUid: string;
  readonly scope: Scope;
  readonly workload: string;
  readonly minutes: number;
  readonly address: string;
}

/** Returns when it expires, by the database's clock. */
export async function insertWorkloadToken(sql: Sql, token: NewWorkloadToken): Promise<string> {
  const rows = await sql.query<{ expiresAt: string }>(
    `insert into workload_token (id, hash, issuer_uid, issuer_generation, account_uid, scope, workload, expires_at, address)
     values ($1::uuid, $2, $3::uuid, $4, $5::uuid, $6, $7, now() + $8 * interval '1 minute', $9)
     returning expires_at as "expiresAt"`,
    [
      token.id,
      token.hash,
      token.issuerUid,
      token.issuerGeneration,
      token.accountUid,
      token.scope,
      token.workload,
      token.minutes,
      token.address,
    ],
  );
  return (rows[0] as { expiresAt: string }).expiresAt;
}

/** Notes that this id was used; false when it was before. */
export async function useJti(
  sql: Sql,
  issuerUid: string,
  jti: Buffer,
  expiresAtSeconds: number,
): Promise<boolean> {
  const rows = await sql.query(
    `insert into exchanged_jti (issuer_uid, jti, expires_at) values ($1::uuid, $2, to_timestamp($3) + interval '5 minutes')
     on conflict (issuer_uid, jti) do nothing returning 1 as used`,
    [issuerUid, jti, expiresAtSeconds],
  );
  return rows.length === 1;
}

/** Who a workload is; `within` is the scope that its token cannot leave. */
export async function findByWorkloadToken(
  sql: Sql,
  hash: Buffer,
): Promise<(Identified & { readonly within: Scope }) | undefined> {
  const rows = await sql.query<Identified & { within: Scope }>(
    `select w.id, ${leftMs("w.expires_at")}, w.scope as within, ${subjectColumns} from workload_token w
     join resource i on i.uid = w.issuer_uid and i.deleting_at is null and i.generation = w.issuer_generation
     join resource u on u.uid = w.account_uid
     where w.hash = $1 and w.expires_at > now() and ${subjectWorks}`,
    [hash],
  );
  return rows[0];
}

/** Notes that a token is in use, at most once a minute, so that reads stay reads. */
export async function touchWorkloadToken(sql: Sql, id: string): Promise<void> {
  await sql.query(
    "update workload_token set seen_at = now() where id = $1::uuid and coalesce(seen_at < now() - interval '1 minute', true)",
    [id],
  );
}

export interface WorkloadTokenRow {
  readonly id: string;
  readonly scope: Scope;
  readonly issuer: string;
  readonly account: string;
  readonly workload: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly address: string;
}

/** Those that still live, newest first, of these scopes and everything below them. */
export function listWorkloadTokens(
  sql: Sql,
  scopes: readonly Scope[],
  limit: number,
): Promise<WorkloadTokenRow[]> {
  return sql.query<WorkloadTokenRow>(
    `select w.id, w.scope, i.name as issuer, u.name as account, w.workload, w.created_at as "createdAt",
       w.seen_at as "lastUsedAt", w.expires_at as "expiresAt", w.address
     from workload_token w
     join resource i on i.uid = w.issuer_uid and i.deleting_at is null and i.generation = w.issuer_generation
     join resource u on u.uid = w.account_uid
     where w.expires_at > now() and exists (
       select 1 from unnest($1::text[]) as seen (scope)
       where seen.scope = '' or w.scope = seen.scope or left(w.scope, length(seen.scope) + 1) = seen.scope || '/')
     order by w.created_at desc, w.id limit $2`,
    [scopes, limit],
  );
}

export async function readWorkloadToken(
  sql: Sql,
  id: string,
): Promise<{ scope: Scope; accountUid: string } | undefined> {
  const rows = await sql.query<{ scope: Scope; accountUid: string }>(
    'select scope, account_uid as "accountUid" from workload_token where id::text = $1 and expires_at > now()',
    [id],
  );
  return rows[0];
}

export async function endWorkloadToken(sql: Sql, id: string): Promise<void> {
  await sql.query("delete from workload_token where id = $1::uuid", [id]);
}
