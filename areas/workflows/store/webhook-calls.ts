import { Fault } from "@reeve/model";
import type { Sql } from "@reeve/store";

/** The run that this very request has begun before. */
export async function runOfCall(sql: Sql, workflow: string, call: Buffer): Promise<string | undefined> {
  const [row] = await sql.query<{ run: string }>(
    "select run from webhook_call where workflow = $1 and call = $2",
    [workflow, call],
  );
  return row?.run;
}

/** Notes a request with the run it begins; a Fault when the same one came at the same moment. */
export async function noteCall(sql: Sql, workflow: string, call: Buffer, run: string): Promise<void> {
  const rows = await sql.query(
    "insert into webhook_call (workflow, call, run) values ($1, $2, $3) on conflict do nothing returning 1 as noted",
    [workflow, call, run],
  );
  if (rows.length === 0)
    throw new Fault("conflict", "this request came twice at the same moment", {
      next: "send it again to hear its run",
    });
}
