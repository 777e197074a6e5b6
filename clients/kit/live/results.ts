import type { Run, RunResult } from "@reeve/model";

export const resultsShown = 20;

/**
 * The last runs of each definition by its uid, oldest first, from what was read once and what is told since. Ids are in the order
 * of time, so the newest have the greatest.
 */
export function lastResults(
  read: readonly RunResult[],
  told: readonly Run[],
): ReadonlyMap<string, readonly RunResult[]> {
  const byId = new Map(read.map((result) => [result.id, result]));
  for (const run of told) byId.set(run.id, resultOf(run));
  const byDefinition = Map.groupBy(byId.values(), ({ of }) => of);
  for (const [of, results] of byDefinition)
    byDefinition.set(of, results.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(-resultsShown));
  return byDefinition;
}

function resultOf({ id, about, state, why, createdAt, startedAt, endedAt }: Run): RunResult {
  return {
    ...{ id, of: about.uid, state, why, createdAt },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}
