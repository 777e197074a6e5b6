import type { Sql } from "./sql.ts";

/** The time by the database's clock, in ms: the one clock that all replicas share. */
export async function readNow(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ now: string }>("select now() as now");
  return Date.parse((row as { now: string }).now);
}
