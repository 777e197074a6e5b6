import type { Sql } from "@reeve/store";
import { deleteTickets } from "./tickets.ts";

/** A second factor as its owner sees it. */
export interface FactorRow {
  readonly id: string;
  readonly kind: "totp" | "passkey";
  readonly name: string;
  readonly createdAt: string;
  readonly usedAt: string;
}

export function listFactors(sql: Sql, userUid: string): Promise<FactorRow[]> {
  const columns = `id, name, created_at as "createdAt", used_at as "usedAt"`;
  return sql.query<FactorRow>(
    `select 'totp' as kind, ${columns} from totp where user_uid = $1::uuid
     union all select 'passkey' as kind, ${columns} from passkey where user_uid = $1::uuid order by "createdAt"`,
    [userUid],
  );
}

export async function hasFactor(sql: Sql, userUid: string): Promise<boolean> {
  const rows = await sql.query<{ has: boolean }>(
    `select exists (select 1 from totp where user_uid = $1::uuid) or exists (select 1 from passkey where user_uid = $1::uuid) as has`,
    [userUid],
  );
  return rows[0]?.has === true;
}

/** Takes a factor away. Recovery codes stand in for a factor, so they go with the last one, and what sessions proved with it. */
export async function deleteFactor(sql: Sql, userUid: string, id: string): Promise<boolean> {
  let gone = 0;
  for (const table of ["totp", "passkey"])
    gone += (
      await sql.query(`delete from ${table} where user_uid = $1::uuid and id = $2::uuid returning id`, [
        userUid,
        id,
      ])
    ).length;
  if (!(await hasFactor(sql, userUid))) await forgetProofs(sql, userUid);
  return gone > 0;
}

async function forgetProofs(sql: Sql, userUid: string): Promise<void> {
  await sql.query("delete from recovery_code where user_uid = $1::uuid", [userUid]);
  await sql.query(
    "update session set factors = factors - 'totp' - 'passkey' - 'recovery' where user_uid = $1::uuid",
    [userUid],
  );
}

/** Takes all factors away, and what was begun with them; returns how many there were. */
export async function deleteFactors(sql: Sql, userUid: string): Promise<number> {
  let gone = 0;
  for (const table of ["totp", "passkey"])
    gone += (await sql.query(`delete from ${table} where user_uid = $1::uuid returning id`, [userUid]))
      .length;
  await forgetProofs(sql, userUid);
  await deleteTickets(sql, userUid);
  return gone;
}

/** Of these organizations, those whose members need a second factor. */
export async function needingFactor(
  sql: Sql,
  organizations: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ name: string }>(
    `select name from resource where kind = 'Organization' and scope = '' and name = any($1::text[])
     and (spec ->> 'requireSecondFactor')::boolean`,
    [organizations],
  );
  return new Set(rows.map(({ name }) => name));
}
