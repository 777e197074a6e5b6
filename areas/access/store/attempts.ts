import type { Sql } from "@reeve/store";

const windowMinutes = 15;
const over = `attempt.since < now() - interval '${windowMinutes} minutes'`;

export interface AttemptRow {
  readonly key: Buffer;
  readonly count: number;
  /** How long until the window is over. */
  readonly leftMs: number;
}

/** Counts an attempt under each key, before it is looked at: whoever guesses on many replicas at once is counted as well. */
export function countAttempts(sql: Sql, keys: readonly Buffer[]): Promise<AttemptRow[]> {
  return sql.query<AttemptRow>(
    `insert into attempt (key, count, since) select unnest($1::bytea[]), 1, now()
     on conflict (key) do update set count = case when ${over} then 1 else attempt.count + 1 end,
       since = case when ${over} then now() else attempt.since end
     returning key, count,
       (extract(epoch from since + interval '${windowMinutes} minutes' - now()) * 1000)::float8 as "leftMs"`,
    [inOrder(keys)],
  );
}

/** The attempt was right: it does not count. */
export async function uncountAttempts(sql: Sql, keys: readonly Buffer[]): Promise<void> {
  await sql.query("update attempt set count = count - 1 where key = any($1::bytea[]) and count > 0", [
    inOrder(keys),
  ]);
}

/** Two attempts must not wait for each other's rows. */
function inOrder(keys: readonly Buffer[]): Buffer[] {
  return [...keys].sort(Buffer.compare);
}

/** Whether this user has a session from this address: whoever guesses elsewhere must not keep them out here. */
export async function isKnownAddress(sql: Sql, user: string, address: string): Promise<boolean> {
  const rows = await sql.query(
    `select 1 as known from session s join resource u on u.uid = s.user_uid
     where u.kind = 'User' and u.scope = '' and u.name = $1 and s.address = $2 limit 1`,
    [user, address],
  );
  return rows.length > 0;
}
