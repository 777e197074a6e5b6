import type { Sql } from "@reeve/store";
import { subjectWorks } from "./credentials.ts";

/** The user of a sign-in with its password's hash; null when it has none. */
export interface SignInRow {
  readonly uid: string;
  readonly hash: string | null;
  readonly disabled: boolean;
}

export async function readSignIn(sql: Sql, user: string): Promise<SignInRow | undefined> {
  const rows = await sql.query<SignInRow>(
    `select r.uid, p.hash, coalesce((r.spec ->> 'disabled')::boolean, false) as disabled
     from resource r left join password p on p.user_uid = r.uid
     where r.kind = 'User' and r.scope = '' and r.name = $1 and r.deleting_at is null`,
    [user],
  );
  return rows[0];
}

export async function writePassword(sql: Sql, userUid: string, hash: string): Promise<void> {
  await sql.query(
    `insert into password (user_uid, hash) values ($1::uuid, $2)
     on conflict (user_uid) do update set hash = excluded.hash, changed_at = now()`,
    [userUid, hash],
  );
}

/** The name of a user who may sign in. */
export async function readUserName(sql: Sql, uid: string): Promise<string | undefined> {
  const rows = await sql.query<{ name: string }>(
    `select u.name from resource u where u.uid = $1::uuid and u.kind = 'User' and ${subjectWorks}`,
    [uid],
  );
  return rows[0]?.name;
}

/** Whether another user than this one has the address, however it is capitalised. */
export async function isTaken(sql: Sql, email: string, userUid: string): Promise<boolean> {
  const rows = await sql.query(
    "select 1 from resource where kind = 'User' and lower(spec ->> 'email') = lower($1) and uid <> $2::uuid limit 1",
    [email, userUid],
  );
  return rows.length > 0;
}
