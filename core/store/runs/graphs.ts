import type { RunGraph } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";

export interface GraphRow {
  readonly digest: Buffer;
  readonly graph: RunGraph;
}

const graphs = rowSet<GraphRow>({ digest: "bytea", graph: "jsonb" });

/** A graph that is there already is looked at again, so that retention does not take it from under a new run. */
export async function keepGraphs(sql: Sql, rows: readonly GraphRow[]): Promise<void> {
  await sql.query(
    `insert into run_graph (digest, graph) select digest, graph from ${graphs.from}
     on conflict (digest) do update set at = now() where run_graph.at < now() - interval '1 hour'`,
    graphs.values(rows),
  );
}

export function readGraphs(sql: Sql, digests: readonly Buffer[]): Promise<GraphRow[]> {
  return sql.query<GraphRow>("select digest, graph from run_graph where digest = any($1::bytea[])", [
    digests,
  ]);
}
