import type { LookAt } from "@reeve/control";
import type { JsonObject } from "@reeve/model";

const everyMs = 1000;

/** Somebody changed the resource, or another replica looks after it now: what is left of the work is not ours. */
export class Replaced extends Error {}

/** Tells what is being done, at most once a second, and ends the work when the server stops or it is no longer ours. */
export function progressOf({ report, signal }: LookAt, status: JsonObject): (words: string) => Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (progress) => {
    signal.throwIfAborted();
    if (performance.now() - reportedAt < everyMs) return;
    reportedAt = performance.now();
    if (!(await report({ ...status, progress }))) throw new Replaced();
  };
}
