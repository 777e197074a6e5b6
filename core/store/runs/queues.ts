import { newUid, type Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";

/** Where ready steps wait: all steps of a scope that the same hosts can do. */
export interface Queue {
  readonly id: string;
  readonly scope: Scope;
  readonly executor: string;
  readonly selector: string;
}

const wanted = rowSet<Queue>({ id: "uuid", scope: "text", executor: "text", selector: "text" });

/** Makes what is missing, and says of the others that they are in use: retention takes those that nobody used for long. */
export async function ensureQueues(sql: Sql, queues: readonly Omit<Queue, "id">[]): Promise<Queue[]> {
  const values = wanted.values(queues.map((queue) => ({ id: newUid(), ...queue })));
  await sql.query(
    `insert into run_queue (id, scope, executor, selector)
     select v.id, v.scope, v.executor, v.selector from ${wanted.from} order by v.scope, v.executor, v.selector
     on conflict (scope, executor, selector) do update set at = now() where run_queue.at < now() - interval '1 hour'`,
    values,
  );
  return sql.query<Queue>(
    `select q.id, q.scope, q.executor, q.selector from ${wanted.from}
     join run_queue q on q.scope = v.scope and q.executor = v.executor and q.selector = v.selector`,
    values,
  );
}

export function listQueues(sql: Sql): Promise<Queue[]> {
  return sql.query<Queue>("select id, scope, executor, selector from run_queue where id > $1 order by id", [
    "00000000-0000-0000-0000-000000000000",
  ]);
}
