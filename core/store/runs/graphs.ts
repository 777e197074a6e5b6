import type { JsonObject, RunGraph } from "@reeve/model";
import { keepJson, opened, sealedIn } from "../at-rest/at-rest.ts";
import { readableOfGraph, graphs as sealedGraphs } from "../at-rest/places.ts";
import type { Sql } from "../sql.ts";
import { rowSet } from "./row-set.ts";

export interface GraphRow {
  readonly digest: Buffer;
  readonly graph: RunGraph;
}

const graphs = rowSet<GraphRow>({ digest: "bytea", graph: "jsonb" });

/**
 * A graph that is there already is looked at again, so that retention does not take it from under a new run. One that several
 * organizations have is sealed if any of them (`scopes`) seals.
 */
export async function keepGraphs(
  sql: Sql,
  rows: readonly (GraphRow & { readonly scopes: readonly string[] })[],
): Promise<void> {
  const kept = rows.map(({ digest, graph, scopes }) => ({
    digest,
    graph: keptGraph(sql, digest, graph, scopes),
  }));
  const sealed = kept.some(({ graph }) => sealedIn(graph) !== undefined)
    ? "or (excluded.graph ? '$sealed' and not run_graph.graph ? '$sealed')"
    : "";
  const graph =
    sealed === ""
      ? ""
      : ", graph = case when excluded.graph ? '$sealed' then excluded.graph else run_graph.graph end";
  await sql.query(
    `insert into run_graph (digest, graph) select digest, graph from ${graphs.from}
     on conflict (digest) do update set at = now()${graph} where run_graph.at < now() - interval '1 hour' ${sealed}`,
    graphs.values(kept),
  );
}

function keptGraph(sql: Sql, digest: Buffer, graph: RunGraph, scopes: readonly string[]): RunGraph {
  if (sql.atRest?.active !== true) return graph;
  const [sealer] = scopes.flatMap((scope) => sql.atRest?.sealer(scope) ?? []);
  const plain = graph as unknown as JsonObject;
  return keepJson(sealer, sealedGraphs, [digest], plain, readableOfGraph(plain)) as unknown as RunGraph;
}

export async function readGraphs(sql: Sql, digests: readonly Buffer[]): Promise<GraphRow[]> {
  const rows = await sql.query<GraphRow>(
    "select digest, graph from run_graph where digest = any($1::bytea[])",
    [digests],
  );
  return opened(sql, sealedGraphs, rows, "graph", ({ digest }) => [digest]);
}
