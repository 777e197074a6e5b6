import { useRuns } from "@reeve/kit";
import type { Run, RunState, Scope } from "@reeve/model";
import { useMemo } from "react";

const open: readonly RunState[] = ["queued", "running"];
const openMost = 500;

/** The runs that change services now, by the service's uid. */
export function useChanging(scope: Scope): ReadonlyMap<string, Run> {
  const { rows } = useRuns({ ...(scope && { scope }), states: open }, openMost);
  return useMemo(
    () => new Map(rows.filter(({ about }) => about.kind === "Service").map((run) => [run.about.uid, run])),
    [rows],
  );
}
