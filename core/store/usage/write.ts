import type { Sql } from "../sql.ts";

/** All that is known of a host within a window of time. */
export interface UsageWindow {
  readonly agent: string;
  readonly fromMs: number;
  /** Of the host itself and of what is kept there. */
  readonly of: readonly { readonly uid: string; readonly series: Uint8Array }[];
}

/** `step` is how many milliseconds a value stands for. Each window takes the place of what was known of it before. No two of them may be of one agent and time. */
export async function writeUsage(sql: Sql, step: number, windows: readonly UsageWindow[]): Promise<void> {
  if (windows.length === 0) return;
  const rows = windows.map((_, at) => {
    const [agent, from, uids, series] = [2, 3, 4, 5].map((place) => place + at * 4);
    return `($${agent}::uuid, $1::bigint, $${from}::timestamptz, $${uids}::uuid[], $${series}::bytea[])`;
  });
  const values = windows.flatMap(({ agent, fromMs, of }) => [
    agent,
    new Date(fromMs).toISOString(),
    of.map(({ uid }) => uid),
    of.map(({ series }) => Buffer.from(series)),
  ]);
  await sql.query(
    `insert into usage_window (agent_uid, step, from_at, uids, series) values ${rows.join(", ")}
     on conflict (agent_uid, step, from_at) do update set uids = excluded.uids, series = excluded.series`,
    [step, ...values],
  );
}
