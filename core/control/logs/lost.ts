import type { RunGraph } from "@reeve/model";
import type { LoggedAttempt } from "@reeve/store/logs";
import type { LogQuery } from "./read.ts";
import { type Sources, sourceOf } from "./sources.ts";

export const lostText = "the agent was lost; the rest may follow";

/** The control plane has all of its output. */
export function isWhole({ outSha256, errSha256 }: LoggedAttempt): boolean {
  return outSha256 !== null && errSha256 !== null;
}

/** Nobody is there to send the rest of its output. */
export function isLost(attempt: LoggedAttempt): boolean {
  return !isWhole(attempt) && (attempt.state === "lost" || !attempt.reachable);
}

/** Where a log that is asked for ends because its agent was lost. */
export async function lostSources(sources: Sources, graph: RunGraph, { epoch }: LogQuery) {
  const attempts = await sources.refresh();
  return attempts
    .filter((attempt) => isLost(attempt) && (epoch === undefined || attempt.epoch === epoch))
    .map((attempt) => sourceOf(graph, attempt, "stdout"));
}
