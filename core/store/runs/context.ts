import type { Json, StepState } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { openOutputs } from "./rows.ts";

/** What expressions may speak of: the steps of a run that stand in its graph, without the items of fan-outs. */
export interface StepFact {
  readonly run: string;
  readonly seq: number;
  readonly state: StepState;
  readonly outputs: Json;
}

export async function readFacts(sql: Sql, runs: readonly string[]): Promise<StepFact[]> {
  const rows = await sql.query<StepFact>(
    `select s.run, s.seq, s.state, s.outputs from unnest($1::uuid[]) as v (run)
     join step s on s.run = v.run and s.seq < (select jsonb_array_length(g.graph -> 'steps') from run r
       join run_graph g on g.digest = r.graph where r.id = v.run)`,
    [runs],
  );
  return openOutputs(sql, rows);
}

export interface ItemFact {
  readonly run: string;
  readonly parent: number;
  readonly seq: number;
  readonly state: StepState;
  readonly outputs: Json;
}

/** The items of a fan-out, in their order. */
export async function readItems(sql: Sql, run: string, parent: number): Promise<ItemFact[]> {
  const rows = await sql.query<ItemFact>(
    "select run, parent, seq, state, outputs from step where run = $1 and parent = $2 order by run, seq",
    [run, parent],
  );
  return openOutputs(sql, rows);
}

/** How large their outputs are together: asked before they are read. */
export async function itemOutputBytes(sql: Sql, run: string, parent: number): Promise<number> {
  const rows = await sql.query<{ bytes: number | null }>(
    "select sum(octet_length(outputs::text))::bigint as bytes from step where run = $1 and parent = $2",
    [run, parent],
  );
  return rows[0]?.bytes ?? 0;
}

/** How many runs stand above this one: a run that begins itself would never end. */
export async function depthOf(sql: Sql, run: string): Promise<number> {
  const rows = await sql.query<{ depth: number }>(
    `with recursive up (parent, depth) as (
       select parent_run, 0 from run where id = $1
       union all select r.parent_run, up.depth + 1 from up join run r on r.id = up.parent where up.depth < 100)
     select max(depth) as depth from up`,
    [run],
  );
  return rows[0]?.depth ?? 0;
}
