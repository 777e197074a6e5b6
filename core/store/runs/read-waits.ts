import type { GraphStep } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { readGraphs } from "./graphs.ts";
import { openShown, type StepRead, stepReadColumns } from "./read.ts";

/** Its reasons are those of the index step_person. */
export const waitsForPerson = (step: string) =>
  `${step}.state = 'waiting' and ${step}.reason in ('approval', 'lost')`;

/** What has been ready for less is about to begin: lists that say so would flicker. */
const soonMs = 5_000;
/** Of each run so many steps are looked at: a list is read often, and must not read every item of every run on it. */
const lookedAt = 100;

export interface WaitRead extends StepRead {
  readonly run: string;
  readonly definition: GraphStep;
}

/** For each of these runs the first step that waits for a person, or, if none of those looked at goes on, the first that waits. */
export async function readWaits(sql: Sql, runs: readonly string[]): Promise<WaitRead[]> {
  const rows = await sql.query<WaitRead & { sealed: Buffer | null }>(
    `select v.run, ${stepReadColumns}, g.graph -> 'steps' -> s.def::int as definition,
       case when g.graph ? '$sealed' then g.digest end as sealed
     from unnest($1::uuid[]) as v (run) join run r on r.id = v.run join run_graph g on g.digest = r.graph
     cross join lateral (
       select seq, rank from (
         (select p.seq, 0 as rank from step p where p.run = v.run and ${waitsForPerson("p")} order by p.run, p.seq limit 1)
         union all
         select w.seq, case when w.state = 'waiting' or (w.state = 'ready' and w.ready_at < now() - $3 * interval '1 millisecond')
           then 2 else 1 end from (
           select seq, state, reason, ready_at from step where run = v.run order by run, seq limit $2) as w
         where w.state in ('due', 'offered', 'running', 'ready') or (w.state = 'waiting' and w.reason <> 'items')
       ) as known order by rank, seq limit 1) as first
     join step s on s.run = v.run and s.seq = first.seq and first.rank <> 1 left join agent a on a.uid = s.agent`,
    [runs, lookedAt, soonMs],
  );
  const digests = rows.flatMap(({ sealed }) => sealed ?? []);
  const graphs = digests.length > 0 ? await readGraphs(sql, digests) : [];
  const steps = await openShown(sql, rows, ({ run }) => run);
  return steps.map(({ sealed, ...step }) => {
    const graph = sealed && graphs.find(({ digest }) => digest.equals(sealed))?.graph;
    return graph ? { ...step, definition: graph.steps[step.def] as GraphStep } : step;
  });
}
