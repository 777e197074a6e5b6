import type { Run } from "@reeve/model";
import type { RunQuery } from "@reeve/sdk";
import { gatherRun, gatherRuns, type RunWithSteps } from "./gather.ts";
import type { LiveList } from "./use-list.ts";
import type { Shown } from "./watched.ts";
import { useWatched } from "./window-stream.ts";

export type LiveRun = RunWithSteps & Omit<Shown<unknown>, "value">;

/** A run with its steps as they are now; also after its end, in case it is taken up again. */
export function useRun(id: string): LiveRun {
  const { value, ...rest } = useWatched(`run ${id}`, () => gatherRun(id));
  return { ...value, ...rest };
}

/** The newest runs that fit, newest first. */
export function useRuns(query: RunQuery = {}, limit = 100): LiveList<Run> {
  const key = `runs ${JSON.stringify([query, limit])}`;
  const { value, ...rest } = useWatched(key, () => gatherRuns(query, limit));
  return { rows: value, ...rest };
}
