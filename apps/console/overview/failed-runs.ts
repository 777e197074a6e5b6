import { type Attention, paths, useRuns } from "@reeve/kit";
import { contains, type Run, type Scope } from "@reeve/model";
import { useState } from "react";

const shownMost = 200;
const dayMs = 86_400_000;

/** Definitions whose newest run of the last day has failed; one that has succeeded since needs nobody. */
export function useFailedRuns(scope: Scope): readonly Attention[] {
  const [since] = useState(() => new Date(Date.now() - dayMs).toISOString());
  const { rows } = useRuns({ ...(scope && { scope }), since }, shownMost);
  return newestOfEach(rows.filter((run) => contains(scope, run.scope)))
    .filter(({ state }) => state === "failed")
    .map((run) => ({
      key: run.id,
      level: "failed",
      title: `${run.about.name} failed`,
      detail: run.why,
      ...(run.endedAt !== undefined && { at: run.endedAt }),
      to: paths.run(run.id),
    }));
}

/** The newest run of each definition that has ended. Runs come newest first. */
function newestOfEach(runs: readonly Run[]): Run[] {
  const seen = new Map<string, Run>();
  for (const run of runs) {
    const definition = `${run.about.kind} ${run.scope} ${run.about.name}`;
    if (run.endedAt !== undefined && !seen.has(definition)) seen.set(definition, run);
  }
  return [...seen.values()];
}
