import type { Sealed, Sql } from "@reeve/store";

export interface TotpRow {
  readonly id: string;
  readonly seed: Sealed;
  readonly lastStep: number;
}

export async function insertTotp(
  sql: Sql,
  totp: TotpRow & { readonly userUid: string; readonly name: string },
): Promise<void> {
  await sql.query(
    "insert into totp (id, user_uid, name, seed, last_step) values ($1::uuid, $2::uuid, $3, $4::jsonb, $5)",
    [totp.id, totp.userUid, totp.name, JSON.stringify(totp.seed), totp.lastStep],
  );
}

export function listTotp(sql: Sql, userUid: string): Promise<TotpRow[]> {
  return sql.query<TotpRow>(`select id, seed, last_step as "lastStep" from totp where user_uid = $1::uuid`, [
    userUid,
  ]);
}

/** Uses up the code of a step and of all before it; false when somebody was faster. */
export async function useTotp(sql: Sql, id: string, step: number): Promise<boolean> {
  const rows = await sql.query(
    "update totp set last_step = $2, used_at = now() where id = $1::uuid and last_step < $2 returning id",
    [id, step],
  );
  return rows.length > 0;
}
